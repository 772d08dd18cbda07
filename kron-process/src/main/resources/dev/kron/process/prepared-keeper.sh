# krond's keeper of a run that is prepared: starts the gate, which claims the run and becomes the
# command when it is told to, and writes down how that ended.
# 1: run directory  2: boot id  3: the command's umask  4: its limit on open files or empty
# 5: its working directory, empty where start.sh comes later  6: the name to show in lists
# 7: sleep  8: the shell for the gate  9: setsid  then the command's words
# 0, 1 and 3: the command's stdin, stdout and stderr  2: nowhere  4: a pipe from the daemon
# How scripts come, and what it may execute and know of the command's variables: see keeper.sh. The
# gate comes as kron_keeper_gate.
echo -n "$6" >/proc/self/comm
set -fC
umask 077
trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM
# A shell that names the signal that ended its command does so here: there is no record yet.
exec 2>"$1/remark" || exit 0
# See keeper.sh.
if [ "${kron_keeper_ready-}" ]; then exec 6<>"$1/ready"; fi
(
  exec 2>/dev/null 6>&-
  kron_keeper_directory=$1 kron_keeper_boot=$2 kron_keeper_umask=$3 kron_keeper_limit=$4 kron_keeper_cwd=$5
  kron_keeper_shell=$8 kron_keeper_setsid=$9
  shift 9
  exec "$kron_keeper_setsid" "$kron_keeper_shell" -c 'eval "$kron_keeper_gate"' krond-gate \
    "$kron_keeper_directory" "$kron_keeper_boot" "$kron_keeper_umask" "$kron_keeper_limit" \
    "$kron_keeper_cwd" "$@"
)
kron_keeper_status=$? kron_keeper_tries=0
# The daemon has written the same line twice: once for the gate, once for this.
read -r kron_keeper_me <&4 || exit 0
read -r kron_keeper_claim <"$1/record" && [ "$kron_keeper_claim" = "$kron_keeper_me $2" ] || exit 0
while read -r kron_keeper_remark; do
  echo "$kron_keeper_remark" 2>/dev/null >>"$1/record"
done <"$1/remark"
# The record's own block has room for this; a file system that must find new room gets an hour.
until echo "exit $kron_keeper_status" 2>/dev/null >>"$1/record"; do
  kron_keeper_tries=$((kron_keeper_tries + 1))
  if [ $kron_keeper_tries -gt 3600 ]; then exit 1; fi
  "$7" 1 || exit 1
done
times 2>/dev/null >>"$1/record"
