# If every variant is excluded, the reason is reported without compiling.
cat >k.cu <<'END'
#pragma gputune kernel(k) problem(m = 64, n = 64) problem(type T = float, double)
#pragma gputune args(inout T y[m][n], int m, int n) tune(BLOCK = 64, 128) tune(K = 1, 2, 3)
#pragma gputune require(n % 64 == 0) require(BLOCK / (K - 1) <= 64)
#pragma gputune block(BLOCK) grid(ceil_div(n * m, BLOCK))
__global__ void k(T *y, int m, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n * m) y[i] = y[i] * K;
}
END
exit_of $GPUTUNE warm ./k.cu --driver emu -q --size n=63
exit_of $GPUTUNE warm ./k.cu --driver emu -q --only BLOCK=0
$GPUTUNE warm ./k.cu --driver emu --only BLOCK=0,64 2>&1 >/dev/null | grep 'not tried'
# A require() that divides by zero excludes the configuration, in every command.
$GPUTUNE space ./k.cu --driver emu --format csv | tail -n 3
exit_of $GPUTUNE warm ./k.cu --driver emu -q --only K=1
$GPUTUNE warm ./k.cu --driver emu -q --format csv | tail -n 1 | cut -d, -f1,2
# A word instead of a number is reported before tuning.
exit_of $GPUTUNE warm ./k.cu --driver emu -q -s m=200,many
