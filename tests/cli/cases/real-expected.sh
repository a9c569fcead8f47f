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
