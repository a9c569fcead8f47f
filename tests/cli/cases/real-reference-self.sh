# a configuration that is easy to trust as the reference of the others
export GPUTUNE_DB=:memory:
template() { # REFERENCE
    cat >k.cu <<END
#pragma gputune kernel(k) problem(n = 1000) tune(WAY = plain, fast, sloppy) tune(BLOCK = 64, 128)
#pragma gputune args(inout float y[n], in float x[n], int n) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune scratch(int turns[grid_x]) default(WAY = sloppy)
#pragma gputune $1
__global__ void k(float *y, const float *x, int n, int *turns)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    turns[blockIdx.x] = n;
    if (i < n) y[i] += WAY_plain ? x[i] + x[i] : WAY_fast ? 2 * x[i] : 2.01f * x[i];
}
END
    $GPUTUNE run ./k.cu --driver emu -q --format csv -c WAY=plain,BLOCK=64 -c WAY=fast -c WAY=sloppy |
        tail -n +2 | cut -d, -f8,9
}
template 'reference(self, WAY = plain, BLOCK = 128)'
echo atol
template 'reference(self, WAY = plain, atol = 1)'
template 'reference(self, WAY = other)'
template 'reference(self, WAYS = plain)'
template 'reference(self, WAY = plain, WAY = fast)'
template 'reference(self) cluster(SIZE = 2, 1)'
template 'reference(self, SIZE = 1, WAY = plain) cluster(SIZE = 2, 1)'
template 'reference(self) check(k)'
