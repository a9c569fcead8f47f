# warm and space report a default that a require() excludes at the given size.
exec 2>&1
cat >k.cu <<'END'
#pragma gputune kernel(k) problem(n = 1024) args(inout float y[n], int n)
#pragma gputune tune(BLOCK = 64, 128, 256) default(BLOCK = 256) require(BLOCK <= n)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK)) reference(self, BLOCK = 64)
__global__ void k(float *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2 * y[i];
}
END
for size in 1000 200; do
    $GPUTUNE space ./k.cu --driver emu --size n=$size | grep '^gputune'
    $GPUTUNE warm ./k.cu --driver emu --size n=$size --format csv | grep '^gputune'
done
$GPUTUNE warm ./k.cu --driver emu --size n=200 --format csv | grep -c '^gputune' # the result is stored
$GPUTUNE space ./k.cu --driver emu --size n=32 | grep '^gputune'
