# Stands before keeper.sh where a run must not begin after a moment: whoever comes later says so and
# leaves, before the claim. The moment is in hundredths of a second since the boot.
read -r kron_keeper_uptime kron_keeper_rest </proc/uptime
kron_keeper_uptime=${kron_keeper_uptime%.*}${kron_keeper_uptime#*.}
if ! [ "$kron_keeper_uptime" -le "$kron_keeper_latest" ]; then
  umask 077
  echo "$kron_keeper_uptime" >"$1/late"
  exit 0
fi
