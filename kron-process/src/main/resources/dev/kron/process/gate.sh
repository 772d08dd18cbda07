# Waits in the session of the command that it becomes; all that is left at the moment itself is the
# claim.
# 1: run directory  2: boot id  3: the command's umask  4: its limit on open files or empty
# 5: its working directory, empty where start.sh comes later  6 to 9: its keeper's alone
# then the command's words
# 0, 1 and 3: the command's stdin, stdout and stderr  2, 5 and 6: its keeper's alone
# 4: a pipe from the daemon; a line means go and says which process the keeper is, its end means that
# the daemon has died
# How scripts come, and what it may execute and know of the command's variables: see keeper.sh.
exec 2>/dev/null 5<&- 6>&-
set -fC
kron_keeper_pick() { kron_keeper_me="$1 ${21}"; }
read -r kron_keeper_stat </proc/self/stat
kron_keeper_pick "${kron_keeper_stat%% *}" ${kron_keeper_stat##*) }
eval "${kron_keeper_variables-}"
read -r kron_keeper_keeper <&4 || exit 0
# Making the record is the claim: whoever comes too late leaves here, without a word.
exec 5>"$1/record" || exit 0
echo "$kron_keeper_keeper $2
command $kron_keeper_me" >&5 || exit 0
exec 2>&3 3>&- 4<&- 5>&-
if [ "${kron_keeper_ready-}" ]; then eval "exec $kron_keeper_ready>>\"\$1/ready\""; fi
unset kron_keeper_ready
umask "$3"
if [ "$4" ]; then ulimit -S -n "$4"; fi
if [ "$5" ]; then cd -P "$5" || exit 126; fi
unset PWD OLDPWD
shift 9
exec "$@"
