# Among variants of equal time, every run chooses the same one, whatever it tries first.
export GPUTUNE_DRIVER=emu:h200
cat >equal.cu <<'CU'
#pragma gputune kernel(copy3)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(SEED = 5, 3, 4) tune(ROOM = 8192, 4096, 0) tune(BLOCK = 64, 1024)
#pragma gputune default(BLOCK = 1024)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK)) shared(ROOM)
#pragma gputune reference(y[i] = x[i])
__global__ void copy3(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    } else if (i == n + 100000 + SEED) {
        y[0] = 0;
    }
}
CU
for seed in 1 2 3 4; do
    strategy=$(echo random model local exhaustive | cut -d ' ' -f $seed)
    $GPUTUNE warm equal.cu -q --format csv --db :memory: --seed $seed --strategy $strategy \
        --start "SEED=$((seed % 3 + 3)) ROOM=4096 BLOCK=64" | tail -n +2 | cut -d, -f 4
done
