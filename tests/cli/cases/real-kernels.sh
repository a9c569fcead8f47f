export GPUTUNE_DB=:memory:
$GPUTUNE kernels --format csv | cut -d, -f1,3 | grep -E '^(kernel|axpy|lincomb|stencil3d_steps),'
$GPUTUNE --version
cat >one.cu <<'END'
#pragma gputune kernel(one) problem(n = 1000) tune(BLOCK = 64, 128) args(out float y[n], int n)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))
__global__ void one(float *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2.0f * i;
}
END
for kernel in axpy histogram ./one.cu; do
    $GPUTUNE kernels $kernel | grep verified
done
