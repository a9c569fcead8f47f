# machines that differ: winners are the same, and where one is of no use one line says which and what to do
exec 2>&1
. "${0%/*}/../elsewhere.sh"
echo == clocks that differ
same ahead "env LD_PRELOAD=${FAKE%/*}/clock_ahead.so CLOCK_AHEAD_S=100000"
same behind "env LD_PRELOAD=${FAKE%/*}/clock_ahead.so CLOCK_AHEAD_S=-100000"
echo == what is of no use
cat >ssh <<'SSH'
#!/bin/sh
host=$1
shift
echo "Welcome to $host" # a .bashrc that speaks
case $host in
motd) exit 0 ;;
old) cat old && exec sleep 100 ;;
bare) export GPUTUNE_NVRTC=/nonexistent ;;
esac
exec sh -c "$*" # as the remote shell
SSH
chmod +x ssh
$GPUTUNE_WORKER --role compile --stdio </dev/null | head -c 100 |
    LC_ALL=C sed 's|[0-9.]*/................|0.0.9/0123456789abcdef|' >old
for host in motd old bare; do
    warm "of $host.db" --compile-on "./ssh $host" 2>errors | cmp one - &&
        sed "s|$GPUTUNE_WORKER|WORKER|g; s|gputune [^ ]*, but|gputune X, but|; s|is [^ ]*; install both|is Y; install both|
            s|install [0-9.]*, or|install N, or|" errors
done
warm none.db --measure-on "./ssh motd" 2>&1 | sed "s|$GPUTUNE_WORKER|WORKER|g"
