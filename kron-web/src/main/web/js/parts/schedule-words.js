import {listed} from './sentences.js';

/**
 * A schedule in words, as far as words are shorter than the schedule. What is not understood here is left as it is
 * written: the daemon alone decides what a schedule means.
 */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

const two = (number) => String(number).padStart(2, '0');

/** The numbers of a field of a cron expression; undefined where it has something else in it. */
function numbers(field, low, high, names = []) {
  const value = (text) => {
    const at = names.findIndex((name) => name.slice(0, 3).toUpperCase() === text.toUpperCase());
    return at >= 0 ? at + low : /^\d+$/.test(text) ? Number(text) : NaN;
  };
  const result = new Set();
  for (const part of field.split(',')) {
    const [range, step = '1'] = part.split('/');
    const [first, last] = range === '*' ? [low, high] : range.includes('-') ? range.split('-').map(value) : [value(range), value(range)];
    if (Number.isNaN(first) || Number.isNaN(last) || !/^\d+$/.test(step) || step === '0') {
      return undefined;
    }
    for (let i = first; i <= last; i += Number(step)) {
      result.add(i);
    }
  }
  return [...result].sort((a, b) => a - b);
}

const isEvery = (field) => /^\*\/\d+$/.test(field);
const stepOf = (field) => Number(field.slice(2));

function time(minute, hour) {
  const minutes = numbers(minute, 0, 59);
  const hours = numbers(hour, 0, 23);
  if (minutes === undefined || hours === undefined) {
    return undefined;
  }
  if (minute === '*' && hour === '*') {
    return 'every minute';
  }
  if (isEvery(minute) && hour === '*') {
    return `every ${stepOf(minute)} minutes`;
  }
  if (minutes.length === 1 && hour === '*') {
    return minutes[0] === 0 ? 'every hour' : `every hour at minute ${minutes[0]}`;
  }
  if (minutes.length === 1 && isEvery(hour)) {
    return `every ${stepOf(hour)} hours${minutes[0] === 0 ? '' : ` at minute ${minutes[0]}`}`;
  }
  if (minutes.length * hours.length <= 6) {
    return `at ${listed(hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)), 6)}`;
  }
  const when = minute === '*' ? 'every minute' : isEvery(minute) ? `every ${stepOf(minute)} minutes` : minutes.length <= 4 ? `at minute ${listed(minutes.map(String))}` : undefined;
  const range = hours.at(-1) - hours[0] === hours.length - 1 ? `from ${two(hours[0])}:00 to ${two(hours.at(-1))}:59` : hours.length <= 6 ? `of hour ${listed(hours.map(String), 6)}` : undefined;
  return when && range ? `${when} ${range}` : undefined;
}

function weekdays(field) {
  const special = /^([0-7]|[A-Za-z]{3})(?:#([1-5])|(L))$/.exec(field);
  if (special) {
    const [day] = numbers(special[1], 0, 7, DAYS) ?? [];
    return day === undefined ? undefined : `the ${special[3] ? 'last' : ORDINALS[special[2]]} ${DAYS[day % 7]} of the month`;
  }
  const days = numbers(field, 0, 7, DAYS);
  if (days === undefined) {
    return undefined;
  }
  const names = [...new Set(days.map((day) => day % 7))];
  if (names.length === 7) {
    return 'every day';
  }
  const text = [...names].sort().join('');
  return text === '12345' ? 'Monday to Friday' : text === '06' ? 'weekends' : names.length === 1 ? `every ${DAYS[names[0]]}` : listed(names.map((day) => DAYS[day]), 7);
}

function monthDays(field) {
  if (/^L(-\d+)?$/.test(field)) {
    return field === 'L' ? 'the last day of the month' : `the day ${field.slice(2)} before the month's last`;
  }
  const days = numbers(field, 1, 31);
  return days === undefined || days.length > 8 ? undefined : `day ${listed(days.map(String), 8)} of the month`;
}

/** Which days: undefined where they cannot be told, '' for all. */
function days(dom, month, dow) {
  const parts = [];
  if (dow !== '*') {
    parts.push(weekdays(dow));
  }
  if (dom !== '*') {
    parts.push(monthDays(dom));
  }
  if (parts.includes(undefined)) {
    return undefined;
  }
  const which = parts.join(' or ');
  if (month === '*') {
    return which;
  }
  const months = numbers(month, 1, 12, MONTHS);
  return months === undefined ? undefined : `${which} in ${listed(months.map((one) => MONTHS[one - 1]), 12)}`.trim();
}

const DURATION = {h: 'h', m: 'min', s: 's', ms: 'ms'};

/** Go's `1h30m` as people write it: `1 h 30 min`. */
export const spoken = (text) => [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].map(([, number, unit]) => `${number} ${DURATION[unit]}`).join(' ') || text;

const PLACES = {after: 'after it', before: 'before it', around: 'around it', center: 'around it'};

/** A whole schedule in words; undefined where it is better read as it is written. */
export function scheduleWords(schedule) {
  if (!schedule) {
    return undefined;
  }
  if (schedule.startsWith('@manual')) {
    return 'Only when somebody asks for it';
  }
  if (schedule.startsWith('@boot')) {
    const after = /@win\(after,([^)]+)\)/.exec(schedule);
    return `Once after each start of the machine${after && !/^0/.test(after[1]) ? `, within ${spoken(after[1])}` : ''}`;
  }
  const every = /^@every\(([^,)]+)/.exec(schedule);
  const fields = schedule.split(/\s+/);
  let words;
  if (every) {
    words = `every ${spoken(every[1])}, whatever the clocks do`;
  } else {
    const [clock, day] = [time(fields[0], fields[1]), days(fields[2], fields[3], fields[4])];
    if (clock === undefined || day === undefined) {
      return undefined;
    }
    words = day === '' ? (clock.startsWith('at ') ? `every day ${clock}` : clock) : `${day} ${clock}`;
  }
  const zone = /@tz\(([^)]+)\)/.exec(schedule);
  const window = /@win\((\w+),([^)]+)\)/.exec(schedule);
  const rules = [...schedule.matchAll(/@(only|avoid)\(([^)]*)\)/g)].map(([, kind, clause]) => `${kind === 'only' ? 'only' : 'never'} ${clause.replaceAll(';', ', ')}`);
  words += zone ? ` in ${zone[1]}` : ' UTC';
  words += window && !/^0/.test(window[2]) ? `, at a second within ${spoken(window[2])} ${PLACES[window[1]] ?? ''}` : '';
  words += rules.length > 0 ? `, ${rules.join(', ')}` : '';
  return words[0].toUpperCase() + words.slice(1);
}
