# krond's keeper of one run: claims it, starts the command, writes down how it ended.
# 1: run directory  2: boot id  3: the command's umask  4: its limit on open files or empty
# 5: its working directory, empty where start.sh comes later  6: the name to show in lists
# 7: sleep  then the command's words
# 0, 1 and 3: the command's stdin, stdout and stderr  2: nowhere
# 4: a pipe from the daemon; a line says which process this is, its end that the daemon has died
# Scripts come as variables, not as arguments, which everybody would see in ps: this one, and
# variables.sh as kron_keeper_variables or, where that comes later, start.sh as kron_keeper_start.
# A keeper may have more rights than its command. So it executes builtins and what the daemon names
# by its path, and knows the command's variables only wrapped: kron_keeper_1, kron_keeper_2 ...
echo -n "$6" >/proc/self/comm
set -fC
umask 077
trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM
kron_keeper_pick() { kron_keeper_command="$1 ${21}"; }
# A shell reads a byte at a time: this line is ten times as short as /proc/self/stat.
read -r kron_keeper_me <&4 || exit 0
exec 4<&-
# Making the record is the claim: whoever comes too late leaves here, without a word.
exec 5>"$1/record" || exit 0
echo "$kron_keeper_me $2" >&5 || exit 0
# From here on a shell that names the signal that ended its command puts that on record.
exec 2>&5
# By this pipe the command tells that it is ready. It never ends while it is open here, whether or not
# a daemon reads it.
if [ "${kron_keeper_ready-}" ]; then exec 6<>"$1/ready"; fi
(
  read -r kron_keeper_stat </proc/self/stat
  kron_keeper_pick "${kron_keeper_stat%% *}" ${kron_keeper_stat##*) }
  echo "command $kron_keeper_command" >&5
  exec 2>&3 3>&- 5>&- 6>&-
  if [ "${kron_keeper_ready-}" ]; then eval "exec $kron_keeper_ready>>\"\$1/ready\""; fi
  unset kron_keeper_ready
  umask "$3"
  if [ "$4" ]; then ulimit -S -n "$4"; fi
  # Here it is the command's own time that a directory takes which does not answer.
  if [ "$5" ]; then cd -P "$5" || exit 126; fi
  shift 7
  eval "${kron_keeper_variables-}"
  exec "$@"
)
kron_keeper_status=$? kron_keeper_tries=0
# What takes no writes takes what the shell may say from here on; opening something else could fail.
exec 2>&0 >&5
# The record's own block has room for this; a file system that must find new room gets an hour.
until echo "exit $kron_keeper_status"; do
  kron_keeper_tries=$((kron_keeper_tries + 1))
  if [ $kron_keeper_tries -gt 3600 ]; then exit 1; fi
  "$7" 1 || exit 1
done
# The second of the two lines is what the command used, and those that it waited for.
times
