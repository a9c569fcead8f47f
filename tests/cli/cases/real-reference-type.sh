# A reference's output may be a double, but its parameter must be declared as one.
cat >twice.cu <<'CODE'
#pragma gputune kernel(twice)
#pragma gputune problem(n = 1000)
#pragma gputune problem(type T = float, int)
#pragma gputune args(out T y[n], in T x[n] = uniform(-9, 9), int n)
#pragma gputune tune(B = 64, 128)
#pragma gputune block(B) grid(ceil_div(n, B))
#pragma gputune reference(slow, block = 64)
#if T_float
typedef double exact;
#else
typedef T exact;
#endif
typedef T same;
__global__ void twice(T *y, const T *x, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void slow(exact *y, const same *x, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
CODE
for type in float int; do
    $GPUTUNE run ./twice.cu --driver emu -q -s T=$type --format csv 2>&1 | grep -o ',ok,\|reference does .*'
done
sed -i 's/exact \*y/double *y/' twice.cu
$GPUTUNE run ./twice.cu --driver emu -q --format csv | grep -o ',ok,'
