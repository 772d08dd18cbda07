# krond's keeper of a run that is prepared: starts the gate, which claims the run and becomes the
# command when it is told to, and writes down how that ended.
# 1: run directory  2: boot id  3: the command's umask  4: its limit on open files or empty
# 5: its working directory, empty where start.sh comes later  6: the name to show in lists
# 7: sleep  8: the shell for the gate  9: setsid  then the command's words
# 0, 1 and 3: the command's stdin, stdout and stderr  4: the gate's pipe from the daemon
# 2 and 5: the two ends of a pipe for what this shell says: if it names the signal that ended its
# command, it does so before it can write to the record
# How scripts come, and what it may execute and know of the command's variables: see keeper.sh. The
# gate comes as kron_keeper_gate.
echo -n "$6" >/proc/self/comm
set -fC
umask 077
trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM
# See keeper.sh.
if [ "${kron_keeper_ready-}" ]; then exec 6<>"$1/ready"; fi
# No subshell: a shell that can spares the copy of itself.
"$9" "$8" -c 'eval "$kron_keeper_gate"' krond-gate "$@"
kron_keeper_status=$? kron_keeper_tries=0
# This closes the last end to write to the pipe, so there is an end to what is read from it. What
# takes no writes takes what the shell may say from here on; opening something else could fail.
exec 2>&0
# The run is this keeper's if its gate has made the record.
read -r kron_keeper_claim <"$1/record" || exit 0
[ "${kron_keeper_claim%% *} ${kron_keeper_claim##* }" = "$$ $2" ] || exit 0
while read -r kron_keeper_remark <&5; do
  echo "$kron_keeper_remark" >>"$1/record"
done
# The record's own block has room for this; a file system that must find new room gets an hour.
until echo "exit $kron_keeper_status" >>"$1/record"; do
  kron_keeper_tries=$((kron_keeper_tries + 1))
  if [ $kron_keeper_tries -gt 3600 ]; then exit 1; fi
  "$7" 1 || exit 1
done
times >>"$1/record"
