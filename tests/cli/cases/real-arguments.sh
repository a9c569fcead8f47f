# Kernels with vectors, bool, char and structs as arguments are tuned.
templates=$(dirname "$0")/../../arguments
for name in vectors halves particles; do
    $GPUTUNE warm "$templates/$name.cu" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
done
# The message about a wrong result shows which component of a vector is wrong.
sed 's/make_int2(count/make_int2(BLOCK == 128 ? 7 : count/' "$templates/vectors.cu" >wrong.cu
$GPUTUNE run wrong.cu --config BLOCK=128 --driver emu -q 2>&1 | sed 's/\[[0-9]*\]/[?]/'
# For a struct, the message shows the member, with the member's type.
sed 's/b.kind = (b.kind + 1)/b.kind = (b.kind + (BLOCK == 128 ? 2 : 1))/' "$templates/particles.cu" >wrong.cu
$GPUTUNE run wrong.cu --config BLOCK=128 --driver emu -q 2>&1 | sed 's/is [0-3], expected [0-3]/is ?, expected ?/'
# The compiler checks that a struct has the layout that gputune assumes.
sed '/^struct step/i #pragma pack(push, 1)' "$templates/particles.cu" >packed.cu
$GPUTUNE run packed.cu --driver emu -q 2>&1 | grep -o 'gputune reads struct step.*'
# Other forms of arguments: static constants, values with their types, bytes for types without a known layout,
# size 0, an output in a __device__ variable, constants that depend on constants, and a typedef chosen by an
# #if.
cat >forms.cu <<'EOF'
struct P { float a; float2 b; };
#ifdef USE_DOUBLES
typedef double real;
#else
typedef float real;
#endif
const real half_of = 0.5;
const real quarter = half_of * half_of;
class state { public: union { int i; float f; }; double rest; };
static __constant__ float filter[5];
__device__ float result[1000];
__device__ int launches;
#pragma gputune kernel(k) tune(B = 64, 128) init(setup) reference(r) constant(filter : float[5])
#pragma gputune problem(n = 1000, pad = 0, left = 0)
#pragma gputune args(out float y[n], in real x[n + pad], in unsigned char s[16 * n], P p = (P){1, {2, left}}, P q = P{left, make_float2(2, 3)}, float3 v = make_float3(1, 2, 3), int n)
#pragma gputune launch(k, block = B, grid = ceil_div(n, B), args = (x, s, p, q, v, n)) launch(copy, block = B, grid = ceil_div(n, B), args = (y, n)) launch(done, block = 1, grid = 1, args = ())
__device__ float value(const float *x, const void *s, P p, P q, float3 v, int i)
{
    return x[i] * filter[i % 5] + ((const state *)s)[i].i + p.a + 3 * p.b.y + 5 * q.b.x + 7 * v.z +
           (struct P){quarter, {1, 2}}.a;
}
__global__ void k(const void *x, const state *s, P p, P q, float3 v, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) result[i] = value((const float *)x, s, p, q, v, i) + (B == 128 && i == 70);
}
__global__ void copy(float *y, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = result[i];
}
__global__ void done() { launches = 0; }
__global__ void r(float *y, const float *x, const void *s, P p, P q, float3 v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = value(x, s, p, q, v, i);
}
__global__ void setup(float *y, float *x, state *s, P p, P q, float3 v, int n, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[i].i = i % 9;
}
EOF
for sizes in 'pad=0' 'pad=3 left=2'; do
    $GPUTUNE run forms.cu -s "$sizes" --driver emu -q --format csv -c B=64 -c B=128 | tail -n +2 | cut -d, -f8,9
done
# constant() also fills a __device__ variable, without a warning that the kernel may write it.
sed 's/static __constant__/__device__/; /launch(copy/s/.*/#pragma gputune block(B) grid(ceil_div(n, B))/' forms.cu >filled.cu
sed -i 's/k(const void .x/k(float *y, const void *x/; s/if (i < n) result.i. = \(.*\) + (B.*/if (i < n) y[i] = \1;/' filled.cu
$GPUTUNE warm filled.cu --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
# init() cannot write such a variable.
sed 's/constant(filter : float.5.)//; s/s.i..i = i % 9/filter[i % 5] = i/' filled.cu >wrong.cu
$GPUTUNE run wrong.cu --driver emu -q 2>&1 || true
sed 's/in real x.n + pad./in real x[pad]/' forms.cu >wrong.cu
$GPUTUNE run wrong.cu --driver emu -q 2>&1 || true
sed 's/in real x.n + pad./in void x[4 * n]/' forms.cu >wrong.cu
$GPUTUNE run wrong.cu --driver emu -q 2>&1 || true
