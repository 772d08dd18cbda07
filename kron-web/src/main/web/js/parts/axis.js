import {DAY, parts} from './times.js';

/** Where a moment stands on a picture, and the moments that are worth a line. */
export class Scale {
  constructor(from, to, width) {
    this.from = from;
    this.to = to;
    this.width = width;
    this.perPixel = (to - from) / width;
  }

  x(time) {
    return (time - this.from) / this.perPixel;
  }

  time(x) {
    return this.from + x * this.perPixel;
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = [
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY,
];

/** The lines of a scale, at whole local times of the browser's zone, also across clock changes: {time, x, text, isDay}. */
export function lines(scale, apart = 78) {
  const step = STEPS.find((one) => one / scale.perPixel >= apart) ?? STEPS.at(-1);
  const begin = new Date(scale.from);
  const midnight = [begin.getFullYear(), begin.getMonth(), begin.getDate()];
  const result = [];
  for (let i = 0; i < 400; i++) {
    const time = step < HOUR
        ? Math.ceil(scale.from / step) * step + i * step
        : step < DAY
            ? new Date(...midnight, (i * step) / HOUR).getTime()
            : new Date(midnight[0], midnight[1], midnight[2] + (i * step) / DAY).getTime();
    if (time > scale.to) {
      break;
    }
    if (time >= scale.from && time !== result.at(-1)?.time) {
      result.push({time, x: Math.round(scale.x(time)), ...named(time, step)});
    }
  }
  return result;
}

function named(time, step) {
  const p = parts(time);
  const isDay = p.hour === '00' && p.minute === '00';
  return isDay || step >= DAY
      ? {text: `${p.weekday} ${Number(p.day)}`, isDay: true}
      : {text: `${p.hour}:${p.minute}`, isDay: false};
}
