# A kernel that never ends is reported within the time limit.
exec 2>&1
cat >spin.cu <<'TEMPLATE'
#pragma gputune kernel(spin) problem(n = 1K) args(out float y[n], int n) tune(BLOCK = 64)
#pragma gputune block(BLOCK) grid(1)
__global__ void spin(float *y, int n)
{
    volatile int go = 1;
    while (go) {
    }
    y[0] = n;
}
TEMPLATE
# on a busy machine, where preparing takes long, the kernel may only have been slow
running='the kernel was still running after x s; it may never end, or need a longer limit'
same="s/after [0-9.]* s/after x s/g; s/did not finish within \(the 10 s limit; raise the time limit\|[0-9.]* s\)/$running/"
$GPUTUNE warm ./spin.cu --driver emu --db a.db -t 10 2>&1 | sed "$same"
$GPUTUNE show ./spin.cu --driver emu --db a.db 2>&1 | sed "$same"
