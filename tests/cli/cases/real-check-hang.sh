# check reports a variant that does not end, with the line of its loop.
export GPUTUNE_DB=:memory:
write() { # AXIS
    cat <<TEMPLATE
#pragma gputune kernel(waits)
#pragma gputune problem(n = 256)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(B = $1)
#pragma gputune block(B)
#pragma gputune grid(ceil_div(n, B))
#pragma gputune reference(y[i] = 2 * x[i])
__global__ void waits(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
    while (B == 64) {
        asm volatile("" ::: "memory");
    }
}
TEMPLATE
}
write "32, 64" >w.cu
$GPUTUNE check ./w.cu 2>&1 | sed 's/; in block.*//'
