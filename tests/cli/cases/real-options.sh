# Compiler options that depend on an axis apply to the kernel, but not to its reference.
export GPUTUNE_DB=:memory: GPUTUNE_DRIVER=emu
cat >k.cu <<'F'
// root: square roots
#pragma gputune kernel(root) problem(n = 4096) args(out float y[n], in float x[n] = uniform(1, 2), size_t n)
#pragma gputune tune(FAST = 0, 1) block(128) grid(ceil_div(n, 128))
#pragma gputune options("--std=c++20", FAST ? "--use_fast_math" : "", "-DHALF=0.5f")
#pragma gputune reference(root_reference, rtol = 1e-5)
__global__ void root(float *y, const float *x, size_t n)
{
    static_assert(__cplusplus >= 202002L, "");
    size_t i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) y[i] = sqrtf(x[i]) * HALF;
}
__global__ void root_reference(float *y, const float *x, size_t n)
{
    static_assert(__cplusplus >= 202002L, "");
    size_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = sqrtf(x[i]) * HALF;
}
F
for fast in 0 1; do
    $GPUTUNE emit ./k.cu --config FAST=$fast --as ptx | grep -o 'sqrt[a-z.0-9]*'
done
$GPUTUNE run ./k.cu --config FAST=0 --config FAST=1 --format csv 2>/dev/null | cut -d, -f1
sed -i 's/-DHALF=0.5f/--fmadd=false/' k.cu
$GPUTUNE emit ./k.cu
