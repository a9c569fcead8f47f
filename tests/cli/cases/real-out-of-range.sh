# The emulator reports reads and writes outside the arguments.
export GPUTUNE_DB=:memory:
cat >k.cu <<'END'
#pragma gputune kernel(k) problem(n = 1000) args(out float y[n], in float x[n], int n)
#pragma gputune tune(FIRST = 0, -1) tune(OVER = 0, 1) tune(BEHIND = 0, 1)
#pragma gputune block(256) grid(ceil_div(n, 256))
__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = x[i] + (i + OVER + FIRST >= 0 && x[i + OVER] == 3 ? 1 : 0);
    if (i < n && x[i + FIRST] == 3) y[i] = 5;
    if (i == n && BEHIND) y[i] = 0;
}
END
for config in "" OVER=1 FIRST=-1 BEHIND=1; do
    $GPUTUNE run ./k.cu --driver emu -q -c "$config" 2>&1 |
        grep -o ' ok \|\(load\|store\) of 4 bytes\|[0-9]* bytes [a-z ]* buffer . of [0-9]* bytes'
done
