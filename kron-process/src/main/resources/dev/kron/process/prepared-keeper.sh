# krond's keeper of a run that is prepared: starts the gate, which claims the run and becomes the
# command when it is told to, and writes down how that ended.
# 1: run directory  2: boot id  3: umask or empty  4: the command's limit on open files or empty
# 5: its working directory or empty  6: the gate's script  7: the shell for it  8: setsid
# then the command's words
# 0, 1 and 3: the command's stdin, stdout and stderr  2: nowhere  4: a pipe from the daemon
set -fC
trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM
kron_keeper_pick() { kron_keeper_me="$1 ${21}"; }
read -r kron_keeper_stat </proc/self/stat
kron_keeper_pick "${kron_keeper_stat%% *}" ${kron_keeper_stat##*) }
kron_keeper_me="$kron_keeper_me $2"
# A shell that names the signal that ended its command does so here: there is no record yet.
exec 2>"$1/remark" || exit 0
(
  exec 2>/dev/null
  kron_keeper_directory=$1 kron_keeper_umask=$3 kron_keeper_limit=$4
  kron_keeper_cwd=$5 kron_keeper_gate=$6 kron_keeper_shell=$7 kron_keeper_setsid=$8
  shift 8
  unset PWD OLDPWD SHLVL
  exec "$kron_keeper_setsid" "$kron_keeper_shell" -c "$kron_keeper_gate" krond-gate \
    "$kron_keeper_directory" "$kron_keeper_me" "$kron_keeper_umask" "$kron_keeper_limit" \
    "$kron_keeper_cwd" "$@"
)
kron_keeper_status=$? kron_keeper_tries=0
read -r kron_keeper_claim <"$1/record" && [ "$kron_keeper_claim" = "$kron_keeper_me" ] || exit 0
exec 5>>"$1/record"
while read -r kron_keeper_remark; do echo "$kron_keeper_remark" >&5; done <"$1/remark"
# The record's own block has room for this; a file system that must find new room gets an hour.
until echo "exit $kron_keeper_status" >&5; do
  kron_keeper_tries=$((kron_keeper_tries + 1))
  if [ $kron_keeper_tries -gt 3600 ]; then exit 1; fi
  sleep 1 || exit 1
done
