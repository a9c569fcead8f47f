# Launch axes are tuned on GPUs that support them, and otherwise excluded with the reason.
export GPUTUNE_DB=:memory:
cat >lookup.cu <<'F'
// lookup: reuses a table
#pragma gputune kernel(lookup)
#pragma gputune problem(n = 1 << 14, m = 1 << 12)
#pragma gputune args(out float y[n], in int at[n] = uniform(0, m - 1), in float table[m], size_t n)
#pragma gputune l2_persist(L2 = 0, 25, 100 : table)
#pragma gputune cluster(CLUSTER = 1, 2)
#pragma gputune tune(BLOCKS = 0, 4) tune(REGISTERS = 0, 32)
#pragma gputune launch_bounds(256, BLOCKS) maxreg(REGISTERS)
#pragma gputune block(256) grid(ceil_div(n, 256))
#pragma gputune reference(lookup_reference)
__global__ void lookup(float *y, const int *at, const float *table, size_t n)
{
    size_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = table[at[i]];
}
__global__ void lookup_reference(float *y, const int *at, const float *table, size_t n)
{
    size_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = table[at[i]];
}
F
for arch in sm_75 sm_90 sm_100; do
    $GPUTUNE space ./lookup.cu --arch $arch --format csv | grep -E '^(L2|CLUSTER),'
    $GPUTUNE space ./lookup.cu --arch $arch | sed -n 2p | tr -s ' '
done
GPUTUNE_DRIVER=emu $GPUTUNE run ./lookup.cu --config L2=0 --config "L2=25 CLUSTER=2 BLOCKS=4" \
    --config "L2=100 REGISTERS=32" --format csv 2>/dev/null | grep -c ',ok,'
$GPUTUNE space ./lookup.cu --arch sm_90 --alignment 24
