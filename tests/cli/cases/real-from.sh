# warm --from tunes the requests of a file of misses, the most frequent first.
export GPUTUNE_DRIVER=emu GPUTUNE_DB=x.db
environment=$($GPUTUNE devices --format json | sed -n 's/.*"environment": *"\([^"]*\)".*/\1/p')
cat >mine.cu <<'END' # a kernel with the name of another one
#pragma gputune kernel(axpy) problem(m = 64) args(out float y[1]) tune(B = 32) block(B) grid(1)
#pragma gputune reference(y[i] = 1)
__global__ void axpy(float *y) { if (threadIdx.x == 0) y[0] = 1; }
END
cat >misses <<MISSES
# gputune misses 1: count, environment, GPU, kernel, sizes, objective, cache, alignment, inputs, restrictions
000000000002	$environment	here	axpy	n=1000	kernel	cold	16	seed=1	VEC=1 BLOCK=64
000000000009	$environment	here	axpy	n=2000	kernel	hot	16 x=4	seed=7	VEC=1 UNROLL=1
000000000005	elsewhere	there	axpy	n=3000	kernel	cold	16	seed=1	VEC=1 BLOCK=64
000000000004	$environment	here	absent	n=3000	kernel	cold	16	seed=1	
000000000003	$environment	here	axpy	n=4000	kernel	cold	16	live:own	
000000000001	$environment	here	axpy	n=5000	kernel	cold	16		
000000000001	$environment	here	axpy	n=6000	kernel	cold	16	seed=1 x=0a	
000000000010	$environment	here	$PWD/mine.cu:axpy	m=64	kernel	cold	16	seed=1	
cut short
MISSES
$GPUTUNE warm --from misses --format csv | cut -d, -f2,3
echo == && $GPUTUNE show --format json | grep -oE '"(sizes|alignment|inputs|cache|only)": "[^"]*"'
echo == && $GPUTUNE warm -q --from misses copy || echo "exit $?"
echo == && $GPUTUNE warm --from nowhere || echo "exit $?"
echo == && $GPUTUNE warm --from misses --size n=5 || echo "exit $?"
echo == && $GPUTUNE warm --from misses axpy --any-gpu --format csv | cut -d, -f2,3
echo == && $GPUTUNE warm --force --from misses mine.cu 2>&1 >/dev/null | grep -o 'gputune show.*' | sed "s|$PWD|.|"
echo == && $GPUTUNE warm -q --from misses ./mine.cu:axpy --format csv | cut -d, -f2
$GPUTUNE warm -q --from misses ./mine.cu:other || echo "exit $?"
