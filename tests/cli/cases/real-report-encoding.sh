# The page shows the winner's source even if the template has a comment that is not UTF-8.
cat >one.cu <<END
#pragma gputune kernel(one) problem(n = 1000) tune(BLOCK = 64) args(out float y[n], int n)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK)) reference(self)
__global__ void one(float *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x; // gr$(printf '\366')sse
    if (i < n) y[i] = 2.0f * i;
}
END
export GPUTUNE_DRIVER=emu GPUTUNE_DB=$PWD/x.db
$GPUTUNE warm ./one.cu -q >/dev/null || exit
$GPUTUNE report ./one.cu -q -o page.html
grep -o 'threadIdx.x; // grsse' page.html
