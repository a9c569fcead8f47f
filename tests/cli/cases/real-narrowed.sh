# A narrowed or widened space is raced again, and has the same winner as with an empty database.
tune() {
    $GPUTUNE warm paramsum --driver emu:h200 -q --format csv "$@" | tail -n +2 |
        cut -d, -f4,16
}
tune
tune --only UNROLL=1,2,4
tune --only UNROLL=1,2,4
export GPUTUNE_DB=$PWD/y.db
tune --only UNROLL=1,2,4

# With n=256, all values of G give the same launch. The second tuning knows that W=1 is wrong for one of them.
export GPUTUNE_DB=$PWD/z.db
cat >twice.cu <<TEMPLATE
#pragma gputune kernel(twice)
#pragma gputune problem(n = 256)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(W = 0, 1)
#pragma gputune tune(G = 1024, 2048, 4096)
#pragma gputune block(256)
#pragma gputune grid(min(ceil_div(n, 256), G))
#pragma gputune reference(y[i] = 2 * x[i])
__global__ void twice(float *y, const float *x, size_t n)
{
    for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) y[i] = 2 * x[i] + W;
}
TEMPLATE
for count in 4 5; do
    $GPUTUNE warm ./twice.cu --driver emu -q --strategy exhaustive -m $count --format csv | tail -n +2 | cut -d, -f4,16
done
