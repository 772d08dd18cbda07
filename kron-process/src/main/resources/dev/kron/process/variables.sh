# Gives the command exactly its variables; for a shell that already has the command's rights and is
# about to become it. Each comes as kron_keeper_N=NAME=value; the daemon, which knows their names,
# has written the commands that unwrap them, some hundreds each: kron_keeper_export_N.
PATH=/bin:/usr/bin
unset PWD OLDPWD SHLVL
unset kron_keeper_script kron_keeper_gate kron_keeper_start kron_keeper_variables
# bash counts this one when it is replaced, and would export it; lists are not exported.
if [ "${BASH_VERSION-}" ]; then typeset -a SHLVL; fi
kron_keeper_n=1
while eval "kron_keeper_next=\${kron_keeper_export_$kron_keeper_n-}" && [ "$kron_keeper_next" ]; do
  unset "kron_keeper_export_$kron_keeper_n"
  eval "$kron_keeper_next"
  kron_keeper_n=$((kron_keeper_n + 1))
done 2>/dev/null
