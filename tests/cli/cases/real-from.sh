# warm --from tunes the requests of a file of misses, the most frequent first.
export GPUTUNE_DRIVER=emu GPUTUNE_DB=x.db
environment=$($GPUTUNE devices --format json | sed -n 's/.*"environment": *"\([^"]*\)".*/\1/p')
cat >misses <<MISSES
# gputune misses 1: count, environment, GPU, kernel, sizes, objective, cache, alignment, inputs, restrictions
000000000002	$environment	here	axpy	n=1000	kernel	cold	16	seed=1	VEC=1 BLOCK=64
000000000009	$environment	here	axpy	n=2000	kernel	hot	16 x=4	seed=7	VEC=1 UNROLL=1
000000000005	elsewhere	there	axpy	n=3000	kernel	cold	16	seed=1	VEC=1 BLOCK=64
000000000004	$environment	here	absent	n=3000	kernel	cold	16	seed=1	
000000000003	$environment	here	axpy	n=4000	kernel	cold	16	live:own	
000000000001	$environment	here	axpy	n=5000	kernel	cold	16		
cut short
MISSES
$GPUTUNE warm --from misses --format csv | cut -d, -f2,3
echo == && $GPUTUNE show --format json | grep -oE '"(sizes|alignment|inputs|cache|only)": "[^"]*"'
echo == && $GPUTUNE warm -q --from misses copy || echo "exit $?"
echo == && $GPUTUNE warm --from nowhere || echo "exit $?"
echo == && $GPUTUNE warm --from misses --size n=5 || echo "exit $?"
echo == && $GPUTUNE warm --from misses axpy --any-gpu --format csv | cut -d, -f2,3
