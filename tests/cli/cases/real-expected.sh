# expect() reads the expected results from a file.
export GPUTUNE_DB=:memory:
. "${0%/*}/../npy.sh"
# The files have y[i] = 2 * i as shorts, and as floats with a wrong last element.
printf '\000\000\002\000\004\000\006\000' | npy right.npy '<i2' '(4,)'
printf '\000\000\000\000\000\000\000\100\000\000\200\100\000\000\301\100' | npy floats.npy '<f4' '(4,)'
template() { # TYPE EXPECT
    cat >k.cu <<END
#pragma gputune kernel(k) problem(n = 4) tune(FACTOR = 2, 3) block(64) grid(1)
#pragma gputune args(out $1 y[n], in int x[n] = index, int n)
#pragma gputune $2
__global__ void k($1 *y, const int *x, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = FACTOR * x[i];
}
END
    $GPUTUNE warm ./k.cu --driver emu -q --format csv | tail -n +2 | cut -d, -f1,2
}
template short 'expect(y = file("right.npy"))'
$GPUTUNE run ./k.cu --driver emu -q -c FACTOR=3
template float 'expect(y = file("floats.npy"), rtol = 0.001)'
template float 'expect(y = file("floats.npy"), rtol = 0.01, atol = 0.1)'
template float 'expect(y = file("right.npy"))'
template short 'expect(z = file("right.npy"))'
template short 'expect(rtol = 1)'
template short 'expect(y = 3)'
template short 'expect(y = file("right.npy")) reference(k)'
# Outputs saved with --save are the expected results of a later tuning.
template short 'reference(self)'
$GPUTUNE run ./k.cu --driver emu -c FACTOR=2 --save . | tail -n +2 | cut -c1-30
template short 'expect(y = file("y.npy"))'
$GPUTUNE run ./k.cu --driver emu -q -c FACTOR=2 -c FACTOR=3 --format csv | tail -n +2 | cut -d, -f8,9
$GPUTUNE run ./k.cu --driver emu -q --save nowhere
cat >vectors.cu <<'END'
#pragma gputune kernel(k) problem(n = 4) tune(B = 32, 64) block(B) grid(1)
#pragma gputune args(inout float y[n][3] = index, out short2 z[n], int n)
__global__ void k(float *y, short2 *z, int n)
{
    if (threadIdx.x < n) z[threadIdx.x] = make_short2(threadIdx.x, -1);
    if (threadIdx.x < 3 * n) y[threadIdx.x] += 1;
}
END
mkdir saved && $GPUTUNE run vectors.cu --driver emu --save saved >all
od -A n -t f4 -j 256 saved/y.npy
od -A n -t d2 -j 256 saved/z.npy
grep -ao "'shape.*)" saved/*.npy
rm -r saved/z.npy && mkdir saved/z.npy
$GPUTUNE run vectors.cu --driver emu -q --save saved 2>&1 | sed "s|$PWD|HERE|" || true
