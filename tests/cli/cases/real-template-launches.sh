# Drafts trace the values of a launch to the program's inputs, and ask about the others.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/table.db
has_libclang || exit 77
# draft CODE BODY: drafts a template from a program with that code before main() and that text in main().
draft() {
    cat >program.cu <<CU
__global__ void add(float *y, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] += x[i];
}
$1
int main(int argc, char **argv)
{
    int n = 1 << 20;
    float *y, *x;
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    $2
}
CU
    echo "-- $1 $2"
    $GPUTUNE template program.cu -o drafted.cu -f 2>&1 | sed -n "s/.*open question: [^ ]* what \(block\|grid\)/? what \1/p"
    sed -nE "s/#pragma gputune ((problem|default|block|grid)\()/\1/p; s/.*(guess: (the launch|the values of 'BLOCK' in default))/\1/p" drafted.cu | sed 's/, MAXREG = 0//' | paste -sd ' '
}
launch='add<<<grid, block>>>(y, x, n);'
# Nothing assigns the launch's extents, or only a part of them.
draft '' "dim3 grid, block(64); $launch"
draft '' "dim3 grid(40), block; block.y = 2; $launch"
draft 'void case0(float *y, float *x, int tib, int n) { dim3 grid(4), block; block.x = tib; add<<<grid, block>>>(y, x, n); }' ''
# Callers pass different values, or equal ones.
draft 'void run(float *y, float *x, int n, int g, int t) { add<<<g, t>>>(y, x, n); }' \
    'run(y, x, n, 40, 256); run(y, x, n, 80, 64);'
draft 'void run(float *y, float *x, int n, int g, int t) { add<<<g, t>>>(y, x, n); }' \
    'run(y, x, n, 40, 256); run(y, x, n, 40, 256);'
draft 'void run(float *y, float *x, int n, int g) { add<<<g, 64>>>(y, x, n); }' 'run(y, x, n, 1); run(y, x, n, n / 128);'
draft '
#define PER_BLOCK(n) (n / B)
template <int B> void run(float *y, float *x, int n) { add<<<PER_BLOCK(n), 64>>>(y, x, n / B); }' 'run<10>(y, x, n);'
draft 'template <int C> __global__ void put(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = C; }' \
    'const int C = 5; add<<<40, 64>>>(y, x, n); put<C><<<1, 64>>>(y, 100 / C);'
# One call may return another value than the next, a launch changes variables, and the program has no arguments.
draft 'int next();' 'add<<<next(), 64>>>(y, x, next());'
draft 'int next() { static int v = 32; return v *= 2; }' 'add<<<next(), 64>>>(y, x, n);'
draft '' 'add<<<argc * 32, 64>>>(y, x, argv[1][0]);'
# The constant in a quotient is not only due to the block size.
draft '' 'add<<<(n - 100 + 63) / 64, 64>>>(y, x, n);'
# Branches depend on the number of command-line arguments, on a size, or on data.
draft '' 'int t = 64, g; if (argc > 1) t = 512; if (argc > 2) g = 100; else g = 13; add<<<g, t>>>(y, x, n);'
draft '' 'int t = 64; if (n > 1000) t = 512; add<<<n / 1000, t>>>(y, x, n);'
draft '' 'int t = 64; if (rand() > 1000) t = 512; add<<<n / 1000, t>>>(y, x, n);'
draft '' 'dim3 b = rand() > 7 ? dim3(32, 8) : dim3(64); add<<<60, b>>>(y, x, n);'
draft 'int t = 64; void fast() { t = 512; }' 'if (getenv("FAST")) fast(); add<<<60, t>>>(y, x, n);'
draft '' 'int t = 32; switch (argc) { case 1: t = 96; break; case 2: t = 128; break; default: t = 256; } add<<<60, t>>>(y, x, n);'
draft 'int pick(int n) { if (n % 7) return 32; if (n % 5) return 64; return 1024; }' \
    'int t = pick(rand()); add<<<60, t>>>(y, x, n);'
draft '' 'int t = 64; if (n / 3.0 > 349525) t = 128; add<<<40, t>>>(y, x, n);'
draft '#include <thrust/device_vector.h>' \
    'thrust::device_vector<float> v(n, 0); add<<<(v.size() + 63) / 64, 64>>>(thrust::raw_pointer_cast(&v[0]), x, v.size());'
# Loops compute the extents.
draft '' 'int t = 1, g = 0; while (t * t < n) t *= 2; for (int i = 0; i < n; i += t) g++; add<<<g, t>>>(y, x, n);'
draft '' 'dim3 grid(40), block(64); for (int i = 0; i < 3; i++) grid.x += block.x;'" $launch"
draft '' 'int g = 0; for (int i = 0; i < n; i++) if (i % 3) g++; add<<<g, 64>>>(y, x, n);'
draft '' 'int t = 64; do t *= 2; while (t == 7); add<<<60, t>>>(y, x, n);'
draft '' 'int t = 64; more: if (t < n) { t *= 2; goto more; } add<<<60, t>>>(y, x, n);'
draft '' 'int t = 64; if (n > 9) goto out; t = 512; out: add<<<60, t>>>(y, x, n);'
draft 'struct config { int g, t; };' 'config c = {40, 64}; memset(&c, 0, sizeof c); add<<<40, c.t>>>(y, x, n);'
# The extents are changed through references, pointers, copies and members.
draft 'void away(dim3 &grid, dim3 *block);' "dim3 grid(40), block(64); away(grid, &block); $launch"
draft 'void set(dim3 &grid, dim3 *block) { grid.x = 7; block->x = 160; }' "dim3 grid, block; set(grid, &block); $launch"
draft '' "dim3 grid(40), block = grid; grid.x = 7; $launch"
draft '' "dim3 grid(40), block(64); std::swap(grid, block); $launch"
draft 'struct plan { dim3 grid, block; }; plan make(int n) { plan p; p.block = dim3(96); p.grid = dim3(n / 96); return p; }' \
    'plan p = make(n); add<<<p.grid, p.block>>>(y, x, n);'
draft 'dim3 grid, block; int threads = 96; void size(int n) { block.x = threads; grid.x = n / threads; }' \
    "size(n); $launch"
# A part of an expression is not evaluated, or it is not known if it is.
draft 'int t = 64; bool up() { t = 512; return true; }' 'bool b = n > 9 || up(); add<<<40 + b, t>>>(y, x, n);'
draft 'int t = 64; int up() { t = 512; return 50; }' 'int g = rand() > 9 ? up() : 40; add<<<g, t>>>(y, x, n);'
# A member refers to a variable.
draft 'struct setter { int &t; void set() { t = 96; } };' 'int t = 64; setter s{t}; s.set(); add<<<40, t>>>(y, x, n);'
draft 'void grow(int needed, int &g, float *&x) { if (needed <= 7) return; g = 60; cudaMalloc(&x, 9); }' \
    'int g = 2; grow(atoi(argv[1]), g, x); add<<<g, 64>>>(y, x, n);'
grep -o 'x\[.*\]' drafted.cu | head -n 1
# A derived class overrides the method.
draft 'struct base { virtual int t() { return 512; } }; struct own : base { int t() { return 64; } }; int of(base &b) { return b.t(); }' \
    'own o; add<<<40, of(o)>>>(y, x, n);'
# Global variables have their initial values in main(), and may have others in functions that nothing calls.
draft 'int g = 64, t = 2 * g;' 'g = 1; add<<<40, t>>>(y, x, n);'
draft 'int t = 64; void later() { t = 512; }' 'add<<<40, t>>>(y, x, n); t = 96;'
draft 'int t = 64; void set() { t = 96; } void run(float *y, float *x, int n) { add<<<40, t>>>(y, x, n); }' ''
# Nothing calls a function with another launch.
draft 'void unused(float *y, float *x);' 'add<<<40, 64>>>(y, x, n); } void unused(float *y, float *x) { add<<<7, 512>>>(y, x, 99);'
# The extents come from input, or the launch from a function that is not analysed.
draft '' 'int t = 64, g; scanf("%d", &t); g = atoi(argv[1]); add<<<g, t>>>(y, x, n);'
draft '' 'int t = 64; std::cin >> t; add<<<60, t>>>(y, x, n);'
draft 'int t = 64;' 't = json["t"].get<int>(); add<<<60, t>>>(y, x, n);'
draft '' 'const int g = 60; int t = 64; parse(g, t); visit([&](int v) { n = v; }); add<<<g, t>>>(y, x, n);'
# Input is converted by the standard library, or by a function that no header declares.
draft '' 'int m = argc > 1 ? std::stoi(argv[1]) : 4096, t = argc > 2 ? strtoul(argv[2], 0, 0) : 64; add<<<m / t, t>>>(y, x, m);'
draft '' 'int m = argc > 1 ? parse(argv[1]) : 4096, t = argc > 2 ? parse(argv[2]) : 64; add<<<m / 64, t>>>(y, x, m);'
# The arguments are in an array, and a cooperative launch is another kind of launch.
draft '' 'void *all[] = {&y, &x, &n}; cudaLaunchCooperativeKernel(&add, 40, 64, all);'
# A variable changes after the lambda that mentions it was made.
draft '' 'int t = 64; auto go = [=](int g) { add<<<g, t>>>(y, x, n); }; t = 512; go(40);'
draft 'struct s { int t; float *y, *x; int n; auto make() { return [*this] { add<<<40, t>>>(y, x, n); }; } };' \
    's a{64, y, x, n}; auto go = a.make(); a.t = 512; go();'
draft '' 'int t = 64; std::function<void()> go = [&] { add<<<40, t>>>(y, x, n); }; t = 512; go();'
draft '' 'static int t = 64; auto go = [=] { add<<<40, t>>>(y, x, n); }; t = 512; go();'
# A lambda with arguments is not followed.
draft '' 'int t = 64; auto set = [&](int v) { t = v; }; set(512); add<<<40, t>>>(y, x, n);'
# Two base classes have a member of the same name.
draft 'struct a { int t; }; struct b { int t; }; struct both : a, b { };' 'both c{{64}, {512}}; add<<<40, c.a::t>>>(y, x, n);'
# Values are cut to 8 or 16 bits, or fit.
draft '' 'int w = 320; unsigned char t = w; short g = w; add<<<g, t>>>(y, x, n);'
draft 'void run(float *y, float *x, int n, uint8_t t) { add<<<40, t += 100>>>(y, x, n); }' 'run(y, x, n, 192);'
# Values are computed in their types: an unsigned number wraps around, a wide one is cut, a bool is 0 or 1.
draft '' 'unsigned w = 65536, g = (w * w + 7) % 100; add<<<g, 64>>>(y, x, n);'
draft '' 'unsigned a = 3; int t = 64, low = -7; if (a - 5 > 8) t = 96; add<<<(unsigned)low % 50, t>>>(y, x, n);'
draft '' 'long w = (1L << 32) + 96; int t = w, low = -1; if (low < sizeof t) t = 512; add<<<40, t>>>(y, x, n);'
draft '' 'int m = 5; bool b = m; add<<<40, 64 * b>>>(y, x, n);'
draft 'enum class kind : uint8_t { none };' 'int w = 320; auto k = (kind)w; add<<<40, (int)k>>>(y, x, n);'
draft '' 'int low = -7; add<<<(low >> 1) + 44, ceil(n / 256.0 - 1)>>>(y, x, n);'
# Members share bits, or a list names its members or leaves out braces or members.
draft 'union shared { int t, other; }; struct cut { unsigned t : 6; };' \
    'shared a; cut b; a.t = 64; a.other = 128; b.t = 96; add<<<a.t, b.t>>>(y, x, n);'
draft 'struct config { int g, t; };' 'config c{.g = 40, .t = 64}; add<<<c.g, c.t>>>(y, x, n);'
draft 'struct inner { int g, t; }; struct outer { inner i; int t; };' 'outer c = {40, 64, 96}; add<<<c.i.g, c.t>>>(y, x, n);'
draft 'struct config { int t, g = 40; int *p; struct { int t = 64; } more; };' 'config c{7}; add<<<c.g, c.more.t>>>(y, x, n);'
draft 'struct base { int t = 64; base(int v) : g(v) {} int g; }; struct own : base { int h = 2 * g; own() : base(40) {} };' \
    'own c; add<<<c.h, c.t>>>(y, x, n);'
# One name has two values.
draft '' 'int v; scanf("%d", &v); int g = v; scanf("%d", &v); add<<<g, 64>>>(y, x, v);'
draft 'int v; void set(int *from, int i) { v = from[i]; }' \
    'int all[2]; scanf("%d", all); set(all, 0); int g = v; set(all, 1); add<<<g, 64>>>(y, x, v);'
draft 'struct table { int *v; int at(int i) { return v[i]; } };' 'table c; scanf("%d", c.v); add<<<c.at(0), 64>>>(y, x, c.at(1));'
# The draft asks for each kernel.
draft '__global__ void put(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }' \
    'int t = atoi(argv[1]); put<<<40, t>>>(y, n); add<<<40, t>>>(y, x, n);'
# An exception's handler, and a pointer with one of two targets, change a variable.
draft '' 'int t = 64, g = 40; try { work(); } catch (...) { g = 80; } *(rand() > 9 ? &t : &g) = 8; add<<<g, t>>>(y, x, n);'
# A loop launches several times; the draft has the first launch.
draft '' 'int g = 1024, t = 32; for (int k = 0; k < 5; k++) { add<<<g, t>>>(y, x, n); g /= 2; t *= 2; }'
draft '' 'int t = 64; for (int k = 0; k < 5; k++) { if (rand() > k) { t = 128; break; } } add<<<40, t>>>(y, x, n);'
# A loop launches one kernel per iteration. Functions return from branches, and arrays have initialisers.
draft 'int pick(int k) { switch (k) { case 0: return 32; case 1: case 2: return 256; } return 64; }
__global__ void put(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }' \
    'for (int k = 0; k < 3; k++) { int t = pick(k); switch (k) { case 0: add<<<40, t>>>(y, x, n); break; case 2: put<<<n / t, t>>>(y, n); } }'
draft 'int blocks(int n) { if (n < 1000) return 1; return n / 1000; }' 'add<<<blocks(n), 64>>>(y, x, n);'
draft 'struct plan { static int blocks(int n, int t); }; int plan::blocks(int count, int t) { return count / t; }' 'add<<<plan::blocks(n, 128), 64>>>(y, x, n);'
draft '#define FLOATS sizeof(float)' 'int t[] = {96, 64}; for (int i = 0; i < 2; i++) { cudaMalloc(&x, n * FLOATS); add<<<40, t[i]>> >(y, x, n); }'
draft '' 'add<<<missing(n), 64>>>(y, x, n);'
draft 'void set(int *t);' 'int t[] = {96, 64}; set(t); add<<<40, t[0]>>>(y, x, n);'
# The number that is guessed for all sizes leaves no buffer empty.
draft 'void part(float *x, int m, int all) { float *y; cudaMalloc(&y, 4 * m * (all / 5000)); add<<<m, 64>>>(y, x, m); }' ''
# The accesses in all cases of a kernel's switch count.
cat >program.cu <<'CU'
__global__ void pick(float *y, const float *a, const float *b, int mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (mode) {
    case 0: y[i] = a[i]; break;
    case 1: y[2 * i] = b[3 * i]; break;
    default: y[i] = 0;
    }
}
void go(float *y, const float *a, const float *b, int n) { pick<<<(n + 63) / 64, 64>>>(y, a, b, 0, n); }
CU
$GPUTUNE template program.cu 2>&1 | grep 'args('
# No launch gives the kernel's template arguments.
cat >program.cu <<'CU'
template <class T> __global__ void twice(T *y, const T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + x[i];
}
template <class T> void go(T *y, const T *x, int n) { twice<T><<<(n + 255) / 256, 256>>>(y, x, n); }
CU
$GPUTUNE template program.cu 2>&1
# A macro launches the second overload with a value from input, a switch its second case, and an unknown function two kernels.
cat >program.cu <<'CU'
enum class op { add = 1, multiply = 5 };
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
template <op o> __global__ void apply(float *y, int n) { int i = INDEX; if (i < n) y[i] = (int)o; }
__global__ void fill(float *y, int n) { int i = INDEX; if (i < n) y[i] = 1; }
__global__ void fill(double *y, int n, double v) { int i = INDEX; if (i < n) y[i] = v; }
#define LAUNCH(...) do { fill<<<n / THREADS, THREADS>>>(__VA_ARGS__); } while (0)
#define THREADS 64
template <int B> __global__ void part(float *y, int n) { int i = blockIdx.x * B + threadIdx.x; if (i < n) y[i] = B; }
void pick(float *y, int n, int b)
{
    if (n < 100) part<32><<<1, 32>>>(y, n);
    switch (b) { case 64: part<64><<<n / b, b>>>(y, n); break; case 128: part<128><<<n / b, b>>>(y, n); }
}
namespace { struct shape { int dims[2]; }; }
__global__ void zeros(float *y, int n) { int i = INDEX; if (i < n) y[i] = 0; }
__global__ void ones(float *y, shape s) { int i = INDEX; if (i < s.dims[0]) y[i] = 1; }
void once(void (*kernel)(float *, int), float *y, int n) { kernel << <16, 256 >> > (y, n); }
void go(float *x, double *y)
{
    int n = 4096e0;
    double v = 2.0;
    scanf("%lf", &v);
    LAUNCH(y, n, v);
    repeat([&] { once(apply<op::multiply>, x, n); once(zeros, x, n); });
    pick(x, n, 128);
    ones<<<16, 256>>>(x, shape{{n, 1}});
}
CU
$GPUTUNE template program.cu 2>&1 | grep -E 'kernel[(]|args|grid|require|open'
# Structs are built by constructors, lists, or the values in their declarations. A call leaves out an argument.
cat >program.cu <<'CU'
struct part { int q = 4; };
struct config { int n, half = n / 2; float f = 2.5f; part in; config(int n) : n(n) { last = n - 1; } int last; };
struct plain { int n; float f; part in; };
struct view { int w, stride; };
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void built(float *y, config c) { int i = INDEX; if (i < c.half) y[i] = c.f; }
__global__ void viewed(float *y, view v, double a) { int i = INDEX; if (i < v.w) y[i * v.stride] = a; }
void scale(float *y, view v, double a = 3.5) { viewed<<<2, 256>>>(y, v, a); }
__global__ void listed(float *y, plain c) { int i = INDEX; if (i < c.n) y[i] = c.f; }
void go(float *y, int n)
{
    int rows = 10;
    view from{300, 1}, v;
    v.stride = v.w = from.w;
    scale(y, v);
    built<<<n / 256, 256>>>(y, config(n));
    listed<<<(rows + 255) / 256, 256>>>(y, {.n = rows});
}
CU
$GPUTUNE template program.cu 2>&1 | grep -E '(args|guess: the values|open question)'
# A function of a PyTorch extension launches the kernel with the sizes and the type of a tensor.
cat >program.cu <<'CU'
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
template <typename scalar_t> __global__ void scale(scalar_t *y, const scalar_t *x, int64_t columns)
{
    for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) y[blockIdx.x * columns + j] = 2 * x[blockIdx.x * columns + j];
}
torch::Tensor scale_cuda(torch::Tensor x)
{
    TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
    const at::cuda::OptionalCUDAGuard guard(x.device());
    const int64_t rows = x.size(0), columns = x.size(-1);
    auto y = torch::empty({rows, columns}, x.options());
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "scale", ([&] {
        scale<scalar_t><<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), columns);
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale_cuda); }
CU
$GPUTUNE template program.cu 2>&1 | grep -E '(kernel|problem|args|block|grid)\('
# Constants of the host are arguments of the kernel's template, and give the block and the grid.
cat >program.cu <<'CU'
template <int M, int N> __global__ void tile(float *y, const float *x, int n)
{
    int i = blockIdx.x * M * N + threadIdx.x * 2;
    for (int k = 0; k < 2; k++) if (i + k < n) y[i + k] = 2 * x[i + k];
}
void go(float *y, const float *x, int n)
{
    const int M = 32, N = 4;
    dim3 grid((n + M * N - 1) / (M * N)), block(M * N / 2);
    tile<M, N><<<grid, block>>>(y, x, n);
}
CU
$GPUTUNE template program.cu 2>&1 | grep -E '(kernel|problem|args|block|grid)\('
# The block has the size of a vector whose header is missing, and a kernel accesses more than the program allocates.
cat >program.cu <<'CU'
__global__ void fill(float *y) { y[threadIdx.x] = 2; }
__global__ void twice(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] *= 2; }
void go(const std::vector<float> &v)
{
    auto const count = std::size(v);
    float *y;
    cudaMalloc(&y, count * sizeof(float));
    fill<<<1, static_cast<unsigned>(count)>>>(y);
    cudaMalloc(&y, 1000 * sizeof(float));
    twice<<<4, 256>>>(y, 1000);
}
CU
$GPUTUNE template program.cu 2>&1 | grep -E '(problem|args|block|values)'
