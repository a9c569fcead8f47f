# --verbose prints when each phase of a tuning ended, in order, and how long the workers took.
export GPUTUNE_DB=:memory:
$GPUTUNE warm axpy --driver emu -s n=1000 --max-variants 2 -v 2>timeline >/dev/null
grep -o 'timeline (.*' timeline | sed 's/[0-9][0-9.]*/N/g'
grep -o 'reference compiled .*' timeline | tr -d ',;' | awk '{print $3 <= $5 && $5 < $7 && $7 <= $10 ? "in order" : $0}'
