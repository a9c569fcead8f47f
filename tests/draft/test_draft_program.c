/* First templates from whole programs: what the host code around a kernel says. */
#include "draft_support.h"

#include "base/file.h"

static const gt_drafted_program programs[] = {
    {"a grid that is rounded up by hand",
     COPY "int main() { int n = 50000, t = 128; " ALLOCATED
          " int blocks = (n + t - 1) / t; k<<<blocks, t>>>(a, b, n); }\n",
     COPY_CLAUSES("50000", USUAL, "128")},
    {"numbers in the launch alone",
     COPY "int main() { const int n = 1 << 20; " ALLOCATED
          " k<<<(n + 191) / 192, 192>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 20", "64, 128, 192, 256, 512, 1024", "192")},
    {"elements that pointers of pointers point to",
     COPY
     "int main() { int n = 4096; float *b, **a = all(); cudaMalloc(&a[0], 2 * n * sizeof(**a));\n"
     "cudaMalloc(&b, n * sizeof(*b)); k<<<(n + 255) / 256, 256>>>(a[0], b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[2 * n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 12 * n)\nreference(self)\n"},
    {"vectors of thrust's, which have elements",
     COPY
     "int main() { int n = 4096; thrust::device_vector<float> a(2 * n);\n"
     "thrust::device_vector<float> b(n, 1.0f); float *y = thrust::raw_pointer_cast(a.data());\n"
     "k<<<(n + 255) / 256, 256>>>(y, thrust::raw_pointer_cast(&b[0]), n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[2 * n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 12 * n)\nreference(self)\n"},
    {"a macro with arguments, and a function that only returns",
     "#define UP(a, b) (((a) + (b) - 1) / (b))\nstatic int blocks(int all, int of) { return "
     "UP(all, of); }\n" COPY "int main() { int n = 4096; " ALLOCATED
     " dim3 t(256, 1, 1), g; g.x = blocks(n, t.x);\n"
     "k<<<g, t, 0, 0>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"a rest that is counted by a condition",
     COPY "int main() { int n = 4096; " ALLOCATED
          " k<<<n / 256 + (n % 256 == 0 ? 0 : 1), 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"ceil() of a quotient, and casts",
     COPY
     "int main() { int n = 4096; " ALLOCATED
     " int t = 256; k<<<(unsigned)std::ceil((float)n / static_cast<float>(t)), t>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"what functions pass on has the kernel's names",
     COPY "void run(float *to, float *from, int count, int threads)\n"
          "{ k<<<(count + threads - 1) / threads, threads>>>(to, from, count); }\n"
          "int main() { int n = 4096; " ALLOCATED " run(a, b, n, 512); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "512")},
    {"a number behind a value of the command line",
     COPY
     "int main(int argc, char **argv) { int n = 8192; if (argc > 1) n = to_int(argv[1]); " ALLOCATED
     " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 13", USUAL, "256")},
    {"types as template arguments, and a default argument that the launch leaves out",
     "template <typename P, typename T, int K>\n"
     "__global__ void k(T *y, const T *x, int n, bool last = false)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = P::f(x[i]) * K + last;\n}\n"
     "int main() { int n = 4096; " ALLOCATED
     " k<A<B<float>>, float, 3><<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k<P, T, K>)\nproblem(n = 1 << 12)\nproblem(type P = float, double)\n"
     "problem(type T = float)\nproblem(const K = 3)\n"
     "args(out T y[n], in T x[n], int n, bool last = 1)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\nreference(self)\n"},
    {"a type of integers, and a struct that is called one",
     "struct pair { float a, b; };\ntemplate <typename I>\n"
     "__global__ void k(struct pair *y, const struct pair *x, I n)\n{\n"
     "    I i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i];\n}\n"
     "int main() { int n = 4096; " ALLOCATED " k<int><<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k<I>)\nproblem(n = 1 << 12)\nproblem(type I = int)\n"
     "args(out pair y[n], in pair x[n] = uniform(0, 99), I n)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\nreference(self)\n"},
    {"pointers and numbers in structs, allocated for the member, set to another, or in a list",
     "struct vec { float *at; const int *of; float by; int n; float dt = 2; };\n"
     "__global__ void k(vec y, const vec x)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < y.n) y.at[i] = x.by * x.at[x.of[i]];\n}\n"
     "void run(vec to, vec from) { k<<<(to.n + 255) / 256, 256>>>(to, from); }\n"
     "int main() { int m = 4096, *c; float *a; vec y; y.n = m; cudaMalloc(&y.at, y.n * 4);\n"
     "cudaMalloc(&a, m * sizeof(float)); cudaMalloc(&c, m * sizeof(int)); y.of = c;\n"
     "vec x = {a, c, 2.5f, m}; run(y, x); }\n",
     "kernel(k)\nproblem(m = 1 << 12)\n"
     "args(vec y = {.by = 0.5, .n = m}, vec x = {.by = 2.5f, .n = m}, out float y.at[m], in int "
     "y.of[m] = uniform(0, 99), in float x.at[m], in int x.of[m] = uniform(0, m - 1))\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(m, BLOCK))\n"
     "work(bytes = 16 * m)\nreference(self)\n"},
    {"elements of each thread, by which the grid is divided",
     "#define ITEMS 4\n__global__ void k(float *y, const float *x, int n)\n{\n"
     "    for (int j = 0; j < ITEMS; j++) {\n"
     "        int i = (blockIdx.x * ITEMS + j) * blockDim.x + threadIdx.x;\n"
     "        if (i < n) y[i] = x[i];\n    }\n}\n"
     "int main() { int n = 4096; const int all = 256 * ITEMS; " ALLOCATED
     " k<<<(n + all - 1) / all, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\ntune(ITEMS = 1, 2, 4, 8)\n"
     "default(ITEMS = 4)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK * ITEMS))\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"a loop's end by which a length is multiplied, and another that the grid does not have",
     "#define ROW 4\n#define TAPS 3\n__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    for (int j = 0; j < ROW && i < n; j++) {\n        float sum = 0;\n"
     "        for (int t = 0; t < TAPS; t++) sum += x[i];\n        y[i * ROW + j] = sum;\n    "
     "}\n}\n"
     "int main() { int n = 4096; float *a, *b; cudaMalloc(&a, n * ROW * 4);\n"
     "cudaMalloc(&b, n * sizeof(float)); k<<<n / (64 * ROW), 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[4 * n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(n / 256)\n"
     "require(n % 256 == 0)\nwork(bytes = 20 * n)\nreference(self)\n"},
    {"a grid and a block in one declaration, of constants in one declaration",
     "constexpr int TILE = 32, ROWS = 8;\n"
     "__global__ void k(float *y, const float *x, int w, int h)\n{\n"
     "    __shared__ float t[TILE][TILE + 1];\n"
     "    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;\n"
     "    for (int j = 0; j < TILE; j += ROWS) {\n"
     "        if (c < w && r + j < h) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * w + c];\n    "
     "}\n"
     "    for (int j = 0; j < TILE; j += ROWS) {\n"
     "        if (c < w && r + j < h) y[(r + j) * w + c] = t[threadIdx.y + j][threadIdx.x];\n    "
     "}\n}\n"
     "int main() { int w = 1024, h = 768; float *x, *y; cudaMalloc(&x, w * h * sizeof(float));\n"
     "cudaMalloc(&y, w * h * sizeof(float));\n"
     "dim3 g((w + TILE - 1) / TILE, (h + TILE - 1) / TILE), b(TILE, ROWS);\n"
     "k<<<g, b>>>(y, x, w, h); }\n",
     "kernel(k)\nproblem(w = 1 << 10)\nproblem(h = 768)\n"
     "args(out float y[w * h], in float x[w * h], int w, int h)\n"
     "tune(TILE = 8, 16, 32)\ndefault(TILE = 32)\ntune(ROWS = 8, 16, 32)\ndefault(ROWS = 8)\n"
     "block(TILE, ROWS)\n"
     "grid(ceil_div(w, TILE), ceil_div(h, TILE))\nrequire(TILE % ROWS == 0)\n"
     "work(bytes = 8 * w * h)\nreference(self)\n"},
    {"pointers to void, which the kernel casts, and a class with private members",
     "class half_of { float by; public: __device__ float operator()(float x) { return x / by; } "
     "};\n"
     "__global__ void k(void *y, const void *x, int n, half_of h)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) ((float *)y)[i] = h(static_cast<const float *>(x)[i]);\n}\n"
     "int main() { int n = 4096; " ALLOCATED
     " half_of h; k<<<(n + 255) / 256, 256>>>(a, b, n, h); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\n"
     "args(out float y[n], in float x[n], int n, half_of h = {.by = 0.5})\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"a block that is larger than what the code has in a name",
     "template <int WIDE>\n"
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * WIDE + threadIdx.x;\n"
     "    if (threadIdx.x < WIDE && i < n) y[i] = x[i];\n}\n"
     "int main() { int n = 4096; " ALLOCATED " k<32><<<(n + 31) / 32, 128>>>(a, b, n); }\n",
     "kernel(k<WIDE>)\nproblem(n = 1 << 12)\nproblem(const WIDE = 32)\n"
     "args(out float y[n], in float x[n], int n)\nblock(128)\ngrid(ceil_div(n, 32))\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"a grid for what is inside",
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;\n"
     "    if (i < n - 1) y[i] = x[i];\n}\n"
     "int main() { int n = 4096; " ALLOCATED " k<<<(n - 2 + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\n"
     "grid(ceil_div(n - 2, BLOCK))\nwork(bytes = 8 * n)\nreference(self)\n"},
    {"the half of a choice that no command line decides",
     COPY
     "int main(int argc, char **argv) { int n = (argc > 1) ? to_int(argv[1]) : 8192; " ALLOCATED
     " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 13", USUAL, "256")},
    {"the branch of a condition that counts",
     "#ifdef LARGE\n#define N 1000000\n#elif !defined(LARGE)\n#define N 2000\n#else\n#define N "
     "3\n#endif\n" COPY "int main() { int n = N; " ALLOCATED
     " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("2000", USUAL, "256")},
    {"sizes that no number is known of: less than memory in all",
     "__global__ void k(float *y, const float *x, int h, int w)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + "
     "threadIdx.y;\n"
     "    if (i < w && j < h) y[j * w + i] = x[j * w + i];\n}\n"
     "int main(int c, char **argv) { int rows = to_int(argv[1]), cols = to_int(argv[2]); float *a, "
     "*b;\n"
     "size_t bytes = rows * cols * sizeof *a; cudaMalloc(&a, 4 * rows * cols);\n"
     "cudaMallocManaged(&b, sizeof(float) * rows * cols); dim3 t(16, 8);\n"
     "k<<<dim3((cols + t.x - 1) / t.x, (rows + t.y - 1) / t.y), t>>>(a, b, rows, cols); }\n",
     "kernel(k)\nproblem(h = 1 << 11)\nproblem(w = 1 << 11)\n"
     "args(out float y[h * w], in float x[h * w], int h, int w)\n"
     "tune(BLOCK_X = 8, 16, 32, 64, 128)\ndefault(BLOCK_X = 16)\n"
     "tune(BLOCK_Y = 1, 2, 4, 8, 16)\ndefault(BLOCK_Y = 8)\nblock(BLOCK_X, BLOCK_Y)\n"
     "require(BLOCK_X * BLOCK_Y >= 32)\ngrid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y))\n"
     "work(bytes = 8 * h * w)\nreference(self)\n"},
    {"a length that depends on the block keeps it",
     "__global__ void k(float *sums, const float *x, int n)\n{\n    __shared__ float s[256];\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    s[threadIdx.x] = i < n ? x[i] : 0;\n"
     "    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];\n}\n"
     "int main() { int n = 4096; int blocks = (n + 255) / 256; float *s, *x; cudaMalloc(&x, 4 * "
     "n);\n"
     "cudaMalloc(&s, blocks * 4); k<<<blocks, 256>>>(s, x, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float sums[ceil_div(n, 256)], in float x[n], int "
     "n)\n"
     "block(256)\ngrid(ceil_div(n, 256))\nwork(bytes = 4 * ceil_div(n, 256) + 4 * "
     "n)\nreference(self)\n"},
    {"what is given by value, what integers hold, and what is read as vectors",
     "typedef float real;\n"
     "__global__ void k(real *y, const int *at, const real *x, int n, float a, bool on)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n / 4) { float4 v = ((const float4 *)x)[i]; y[i] = on ? a * v.x + at[i] : 0; "
     "}\n}\n"
     "int main() { int n = 1024; float a = 0.25f; int *h = new int[n], *at; real *x, *y;\n"
     "for (int i = 0; i < n; i++) h[i] = rand() % 16;\n"
     "cudaMalloc(&at, n * sizeof(int)); cudaMemcpy(at, h, n * 4, cudaMemcpyHostToDevice);\n"
     "cudaMalloc(&x, n * sizeof(real)); cudaMalloc(&y, n / 4 * sizeof(real));\n"
     "k<<<n / 4 / 64, 64>>>(y, at, x, n, a, true); }\n",
     "kernel(k)\nproblem(n = 1 << 10)\n"
     "args(out real y[n / 4], in int at[n] = uniform(0, 15), in real x[n], int n, float a = 0.25f, "
     "bool on = 1)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 64)\nblock(BLOCK)\n"
     "grid(n / (4 * BLOCK))\nrequire(n % (4 * BLOCK) == 0)\n"
     "work(bytes = 4 * (n / 4) + 8 * n)\n"
     "reference(self)\n"},
    {"a launch with blanks, the size of an array, and that of an element",
     "static float table[] = {0.5f, 1, 2};\n"
     "__global__ void k(float *y, const float *x, const float *w, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i] * w[i % "
     "3];\n}\n"
     "int main() { int n = 4096; float *a, *b, *c; cudaMalloc(&a, n * sizeof(*a));\n"
     "cudaMalloc(&b, n * sizeof(b[0])); cudaMalloc(&c, sizeof(table));\n"
     "k << < n / 256, 256 >> > (a, b, c, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[n], in float x[n], in float w[3], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(n / BLOCK)\n"
     "require(n % BLOCK == 0)\nwork(bytes = 8 * n + 12)\nreference(self)\n"},
    {"row pointers, and indices of rows that begin where another buffer says",
     "__global__ void k(float *y, const int *rows, const int *at, const float *v, int n, int "
     "w)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n"
     "    float sum = 0;\n    for (int j = rows[i]; j < rows[i + 1]; j++) {\n"
     "        for (int c = 0; c < w; c++) sum += v[at[j] * w + c];\n    }\n    y[i] = sum;\n}\n"
     "int main() { int n = 1024, w = 8, e = 5000, m = 300; float *y, *v; int *rows, *at;\n"
     "cudaMalloc(&y, 4 * n); cudaMalloc(&rows, 4 * (n + 1)); cudaMalloc(&at, 4 * e);\n"
     "cudaMalloc(&v, 4 * m * w); k<<<(n + 255) / 256, 256>>>(y, rows, at, v, n, w); }\n",
     "kernel(k)\nproblem(n = 1 << 10)\nproblem(w = 8)\n"
     "args(out float y[n], in int rows[n + 1] = prefix(5000), in int at[5000] = uniform(0, 299), "
     "in "
     "float v[300 * w], int n, int w)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n + 1200 * w + 20004)\nreference(self)\n"},
    {"a block more than needed, and a size in bytes",
     "__global__ void k(float *y, const float *x, size_t bytes)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < bytes / sizeof(float)) y[i] = x[i];\n}\n"
     "int main() { int n = 4096; " ALLOCATED " k<<<n / 256 + 1, 256>>>(a, b, n * 4); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\n"
     "args(out float y[n], in float x[n], size_t bytes = 4 * n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(n / BLOCK + 1)\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"sizes that the program asks for in the same words are one, and so is a variable given twice",
     "__global__ void k(float *y, const float *x, int n, int pitch, int mark)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = x[i] + pitch + mark;\n}\n"
     "int main() { int n = data.size(), m = data.size(); float *a, *b;\n"
     "cudaMalloc(&a, n * 4); cudaMalloc(&b, m * 4);\n"
     "k<<<(n + 255) / 256, 256>>>(a, b, n, n, 0xdeadbeef); }\n",
     "kernel(k)\nproblem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n, int pitch = n, int mark = -559038737)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"a grid of numbers that nothing in the kernel bounds",
     "__device__ void add(int *to, int i) { atomicAdd(to, i); }\n"
     "__global__ void k(int *sum, int *calls)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    add(sum, i);\n    (*calls)++;\n}\n"
     "int main() { int *y, *c; cudaMalloc(&y, 4); cudaMalloc(&c, 4); k<<<16, 128>>>(y, c); }\n",
     "kernel(k)\nargs(inout int sum[1] = zero, inout int calls[1] = zero)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 128)\nblock(BLOCK)\ngrid(ceil_div(2048, BLOCK))\n"
     "work(bytes = 16)\nreference(self)\n"},
    {"one block whose threads nothing bounds stays as it is",
     "__global__ void k(int *y)\n{\n    y[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n}\n"
     "int main() { int *y; cudaMalloc(&y, 4 * 256); k<<<1, 256>>>(y); }\n",
     "kernel(k)\nargs(out int y[256])\nblock(256)\ngrid(1)\nwork(bytes = 1024)\nreference(self)\n"},
    {"sizes that nothing says keep what must divide, and leave the grid a block",
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    y[i] = x[i];\n}\n"
     "int main(int c, char **v) { int n = to_int(v[1]); " ALLOCATED
     " k<<<n / 192, 192>>>(a, b, n); "
     "}\n",
     "kernel(k)\nproblem(n = 786432)\nargs(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 192, 256, 512, 1024)\ndefault(BLOCK = 192)\nblock(BLOCK)\n"
     "grid(n / BLOCK)\nrequire(n % BLOCK == 0)\nwork(bytes = 8 * n)\nreference(self)\n"},
    {"a pointer to an element in brackets, and a constant of a type of two words",
     "__constant__ unsigned int table[4];\n"
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    float *to = &(y[i]);\n"
     "    if (i < n) to[0] = x[i] + table[i % 4];\n}\n"
     "int main() { int n = 4096; " ALLOCATED " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nconstant(table : uint32_t[4] : uniform(0, 99))\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"an extent of a struct is a number",
     "#define ROWS 16\nstruct rows { float of[ROWS]; };\n"
     "__global__ void k(float *y, const rows *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[0].of[i];\n}\n"
     "int main() { float *y; rows *x; cudaMalloc(&y, 4 * ROWS); cudaMalloc(&x, sizeof(rows));\n"
     "int n = ROWS; k<<<1, 64>>>(y, x, n); }\n",
     "kernel(k)\nargs(out float y[16], in rows x[1] = uniform(0, 99), int n = 16)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 64)\nblock(BLOCK)\ngrid(1)\nreference(self)\n"},
    {"names that only a tuner defines are axes",
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = (blockIdx.x * block_size_x + threadIdx.x) * WORK;\n    #pragma unroll UNROLL\n"
     "    for (int j = 0; j < WORK; j++) if (i + j < n) y[i + j] = x[i + j];\n}\n",
     "kernel(k)\nproblem(n = 1 << 20)\ntune(UNROLL = 1, 2, 4)\ntune(WORK = 1, 2, 4)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(block_size_x = " USUAL ")\ndefault(block_size_x = 256)\nblock(block_size_x)\n"
     "grid(ceil_div(n, block_size_x * WORK))\nwork(bytes = 8 * n)\nreference(self)\n"},
    {"the variant of a kernel whose branch counts",
     "#if WIDE\n__global__ void k(float *y, const float *x, int n) { y[n] = 0; }\n#else\n" COPY
     "#endif\n__global__ void unused(float *y) { y[threadIdx.x] = 0; }\n"
     "int main() { int n = 4096; " ALLOCATED " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"names that are declared behind others are no axes",
     "__global__ void k(float *y, const float *x, int n)\n{\n    if (n < 0) { return; }\n"
     "    float a, b, c;\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) { a = x[i]; b = a + a; c = b * b; y[i] = c; }\n}\n",
     "kernel(k)\nproblem(n = 1 << 20)\nargs(out float y[n], in float x[n], int n)\ntune(BLOCK "
     "= " USUAL
     ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\nwork(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"a texture of linear memory, whose indices say its length",
     "__global__ void k(float *y, cudaTextureObject_t x, const int *at, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = tex1Dfetch<float2>(x, 2 * i).y + tex1Dfetch<float2>(x, at[i]).x;\n}\n",
     "kernel(k)\nproblem(n = 1 << 20)\n"
     "args(out float y[n], in float2 x[2 * n], in int at[n] = uniform(0, 2 * n - 1), int n)\n"
     "texture(x)\ntune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\nwork(bytes = 24 * n)\nreference(self)\n"},
    {"a texture of rows, as the program describes it",
     "__global__ void k(float *y, cudaTextureObject_t t, int w, int h)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;\n"
     "    if (i < w && j < h) y[j * w + i] = tex2D<float>(t, (i + 1.0f) / w, (j + 1.0f) / h);\n}\n"
     "void run(float *y, cudaArray_t a)\n{\n    int w = 500, h = 300;\n"
     "    cudaTextureDesc d = {}; d.filterMode = cudaFilterModeLinear; d.normalizedCoords = 1;\n"
     "    d.addressMode[0] = d.addressMode[1] = cudaAddressModeWrap;\n"
     "    cudaTextureObject_t t = make(a, d); cudaMalloc(&y, w * h * 4);\n"
     "    k<<<dim3((w + 127) / 128, h), 128>>>(y, t, w, h);\n}\n",
     "kernel(k)\nproblem(w = 500)\nproblem(h = 300)\n"
     "args(out float y[w * h], in float t[h][ceil_div(w, 8) * 8], int w, int h)\n"
     "texture(t, filter = linear, address = wrap, coordinates = normalized, width = w)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 128)\nblock(BLOCK)\n"
     "grid(ceil_div(w, BLOCK), h)\nreference(self)\n"},
    {"sizes and a block in structs, arrays and vectors of the host",
     COPY "struct shape { int count, spare; int block[2]; };\n"
          "int main() { struct shape s; s.count = 4096; int at[] = {7, 64};\n"
          "std::vector<float> h(s.count); float *a, *b; cudaMalloc(&a, h.size() * sizeof(float));\n"
          "cudaMalloc(&b, s.count * 4); k<<<(s.count + at[1] - 1) / at[1], at[1]>>>(a, b, "
          "s.count); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "64")},
    {"a block that the kernel says, and the program does not",
     "__global__ void k(float *y, const float *x, int n)\n{\n    __shared__ float s[64];\n"
     "    for (int i = threadIdx.x; i < 64; i += 64) s[i] = x[i];\n"
     "    int i = blockIdx.x * 64 + threadIdx.x;\n    if (i < n) y[i] = s[threadIdx.x];\n}\n"
     "void run(int threads) { int n = 4096; " ALLOCATED
     " k<<<n / threads, threads>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[n], in float x[n], int n)\n"
     "block(64)\ngrid(n / 64)\nrequire(n % 64 == 0)\nwork(bytes = 8 * n)\nreference(self)\n"},
    {"a length in blocks that the program does not say",
     COPY "void run(int threads) { int step = 4; float *a, *b; cudaMalloc(&b, 4096 * 4);\n"
          "cudaMalloc(&a, threads * threads / step * 4);\n"
          "k<<<threads / step, threads>>>(a, b, 4096); }\n",
     "kernel(k)\nproblem(step = 4)\n"
     "args(out float y[65536 / step], in float x[4096], int n = 4096)\nblock(256)\n"
     "grid(256 / step)\nrequire(256 % step == 0)\nwork(bytes = 4 * (65536 / step) + 16384)\n"
     "reference(self)\n"},
    {"a size that is called like a buffer, and one that begins with 0",
     COPY "void run(float *x) { int y = find(x), n = 0; fill(n); float *a, *b;\n"
          "cudaMalloc(&a, (n + y) * 4); cudaMalloc(&b, (n + y) * 4);\n"
          "k<<<(n + y + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 20)\nproblem(host_y = 1 << 20)\n"
     "args(out float y[n + host_y], in float x[n + host_y], int n)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n + host_y, BLOCK))\n"
     "work(bytes = 8 * n + 8 * host_y)\nreference(self)\n"},
    {"entries of rows, which the program counts later",
     "__global__ void k(float *y, const float *x, const int *first, int rows)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= rows) return;\n"
     "    for (int j = first[i]; j < first[i + 1]; j++) y[i] += x[j];\n}\n"
     "int main() { int rows = 4096; int nnz = 0; count(nnz); float *a, *b; int *c;\n"
     "cudaMalloc(&a, rows * 4); cudaMalloc(&b, nnz * 4); cudaMalloc(&c, (rows + 1) * 4);\n"
     "k<<<(rows + 255) / 256, 256>>>(a, b, c, rows); }\n",
     "kernel(k)\nproblem(rows = 1 << 12)\nproblem(nnz = 1 << 20)\n"
     "args(inout float y[rows], in float x[nnz], in int first[rows + 1] = prefix(nnz), int rows)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\n"
     "grid(ceil_div(rows, BLOCK))\nreference(self)\n"},
    {"elements that macros stand for",
     "#define Y(i) y[i]\n#define X(i) x[(i) + 1]\n"
     "__global__ void k(float *y, const float *x, float *z, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) Y(i) = X(i);\n"
     "    if (i < n) z[i] += 1;\n}\n"
     "int main() { int n = 4096; " ALLOCATED " float *c; cudaMalloc(&c, n * 4);\n"
     "k<<<(n + 255) / 256, 256>>>(a, b, c, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\n"
     "args(out float y[n], in float x[n], inout float z[n], int n)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 16 * n)\nreference(self)\n"},
    {"a grid by properties of the device",
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
     "        y[i] = x[i];\n}\n"
     "int main() { int n = 4096, sms; " ALLOCATED " cudaDeviceProp p; ask(&p, 0);\n"
     "sms = p.multiProcessorCount; k<<<2 * sms, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(2 * sm_count)\n"
     "work(bytes = 8 * n)\nreference(self)\n"},
    {"roots of what the kernel changes",
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) { float v = y[i]; y[i] = v + x[i] / sqrtf(v); }\n}\n"
     "int main() { int n = 4096; " ALLOCATED " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\n"
     "args(inout float y[n] = uniform(0.1, 1), in float x[n], int n)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 12 * n)\nreference(self)\n"},
    {"a template's block, of which a length is made",
     "template <int WIDE>\n__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * WIDE + threadIdx.x;\n    if (i < n) y[blockIdx.x] = x[i];\n}\n",
     "kernel(k<WIDE>)\nproblem(n = 1 << 20)\n"
     "args(out float y[ceil_div(n, WIDE)], in float x[n], int n)\nproblem(const WIDE = 256)\n"
     "block(WIDE)\ngrid(ceil_div(n, WIDE))\n"
     "work(bytes = 4 * ceil_div(n, WIDE) + 4 * n)\nreference(self)\n"},
    {"textures of arrays",
     "__global__ void k(float *y, cudaTextureObject_t s, cudaTextureObject_t t,\n"
     "                  cudaTextureObject_t u, int w, int h)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;\n"
     "    if (i < w && j < h) y[j * w + i] = tex2D<float>(s, i, j) +\n"
     "        tex2DLayered<float>(t, i, j, 0) + tex3D<unsigned char>(u, i, j, 0);\n}\n"
     "void run(float *y, cudaArray_t a)\n{\n    int w = 500, h = 300;\n"
     "    cudaMallocArray(&a, &format, w, h);\n    cudaMalloc(&y, w * h * 4);\n"
     "    k<<<dim3((w + 127) / 128, h), 128>>>(y, make(a), make(b), make(c), w, h);\n}\n",
     "kernel(k)\nproblem(w = 500)\nproblem(h = 300)\n"
     "args(out float y[w * h], in float s[h][w], in float t[1][h][w], "
     "in unsigned char u[1][h][w] = uniform(0, 99), int w, int h)\n"
     "texture(s, memory = array)\ntexture(t, memory = layered)\ntexture(u, memory = array)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 128)\nblock(BLOCK)\n"
     "grid(ceil_div(w, BLOCK), h)\nreference(self)\n"},
    {"conditions in the parameters, and a constant of one of their branches",
     "#ifdef LARGE\n#define N 8192\n#elif defined(OTHER)\n#define N OTHER\n#else\n#define N 4096\n"
     "#endif\n__global__ void k(float *y,\n#if defined(DOUBLE) && DOUBLE > 1\nconst double *x,\n"
     "#else\nconst float *x,\n#endif\nint n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i];\n}\n"
     "int main() { int n = N; " ALLOCATED " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"a type that callers hand on, and one that the pointers have",
     "#define Real float\ntemplate <typename T, typename U>\n"
     "__global__ void k(T *y, const U *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i];\n}\n"
     "template <typename S> void run(S *to, Real *from, int n)\n"
     "{ k<S><<<(n + 255) / 256, 256>>>(to, from, n); }\n"
     "int main() { int n = 4096; double *a; Real *b; cudaMalloc(&a, n * sizeof(double)); "
     "cudaMalloc(&b, n * sizeof(Real)); run<double>(a, b, n); }\n",
     "kernel(k<T, U>)\nproblem(n = 1 << 12)\nproblem(type T = double)\nproblem(type U = float)\n"
     "args(out T y[n], in U x[n], int n)\ntune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\n"
     "block(BLOCK)\ngrid(ceil_div(n, BLOCK))\nreference(self)\n"},
    {"the launch whose block agrees with its template's argument",
     "template <int BLOCK_SIZE> __global__ void k(float *y, const float *x)\n{\n"
     "    __shared__ float s[BLOCK_SIZE];\n    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;\n"
     "    s[threadIdx.x] = x[i];\n    y[i] = s[threadIdx.x];\n}\n"
     "int main() { int n = 4096, t = 128; " ALLOCATED "\n"
     "if (t == 64) k<64><<<n / t, t>>>(a, b); else k<128><<<n / t, t>>>(a, b); }\n",
     "kernel(k<BLOCK_SIZE>)\nproblem(n = 1 << 12)\nargs(out float y[n], in float x[n])\n"
     "tune(BLOCK_SIZE = " USUAL ")\ndefault(BLOCK_SIZE = 128)\nblock(BLOCK_SIZE)\n"
     "grid(n / BLOCK_SIZE)\nrequire(n % BLOCK_SIZE == 0)\nwork(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"elements of a thread in a number of the grid, and a size that is made of others",
     "__global__ void k(float *y, int n, int w)\n{\n"
     "    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
     "    if (i < n) { y[i] = w; y[i + 1] = w; }\n}\n"
     "int main(int c, char **v) { int h = to_int(v[1]), w = to_int(v[2]); float *a;\n"
     "int all = w * h; cudaMalloc(&a, all * 4); k<<<w * h / 512, 256>>>(a, all, w); }\n",
     "kernel(k)\nproblem(w = 1 << 11)\nproblem(h = 1 << 11)\n"
     "args(out float y[w * h], int n = w * h, int w)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(w * h / (2 * BLOCK))\n"
     "require(w * h % (2 * BLOCK) == 0)\nwork(bytes = 4 * w * h)\nreference(self)\n"},
    {"a constant that the kernel reads is no size",
     "const int H = 64;\n__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i * H] = x[i];\n}\n"
     "int main() { int n = 4096; float *a, *b; cudaMalloc(&a, n * H * 4); cudaMalloc(&b, n * 4);\n"
     "k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[64 * n], in float x[n], int n)\n"
     "tune(BLOCK = " USUAL ")\ndefault(BLOCK = 256)\nblock(BLOCK)\ngrid(ceil_div(n, BLOCK))\n"
     "work(bytes = 260 * n)\nreference(self)\n"},
    {"all blocks of a cooperative kernel are resident",
     "__global__ void k(float *y, int n)\n{\n    cg::this_grid().sync();\n"
     "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
     " y[i] = 1;\n}\nint main() { int n = 4096, blocks; float *a; cudaMalloc(&a, n * 4);\n"
     "occupancy(&blocks, k); k<<<blocks, 256>>>(a, n); }\n",
     "kernel(k)\nproblem(n = 1 << 12)\nargs(out float y[n], int n)\ntune(BLOCK = " USUAL ")\n"
     "default(BLOCK = 256)\nblock(BLOCK)\ngrid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "cooperative()\nwork(bytes = 4 * n)\n"},
    {"elements that a macro reads and writes as vectors",
     "#define FOUR(v) (reinterpret_cast<float4 *>(&(v))[0])\n"
     "__global__ void k(float *y, float *x, int n)\n"
     "{\n"
     "    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
     "    if (i < n) { float4 v = FOUR(x[i]); FOUR(y[i]) = v; }\n"
     "}\n",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, 4 * BLOCK))\n"
     "require(n % 4 == 0)\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"elements that casts read and write as vectors",
     "__global__ void k(float *y, float *x, int n)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n / 4) { float4 v = *(float4 *)&x[4 * i]; reinterpret_cast<float4 *>(y)[i] = v; "
     "}\n"
     "}\n"
     "int main() { int n = 4096; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc((void **)&b, n * "
     "sizeof(float)); k<<<n / 4 / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 12)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(n / (4 * BLOCK))\n"
     "require(n % (4 * BLOCK) == 0)\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"sizes that a function fills, and a border around what blocks must divide",
     "__global__ void k(float *y, const float *x, int h, int w)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + "
     "threadIdx.y + 1;\n"
     "    y[j * w + i] = x[j * w + i - 1];\n"
     "}\n"
     "void ask(int &rows, int &cols, int &bytes)\n"
     "{ scan(&rows); scan(&cols); bytes = rows * cols * sizeof(float); }\n"
     "int main() { int h, w, bytes; float *a, *b; ask(h, w, bytes); cudaMalloc(&a, bytes);\n"
     "cudaMalloc(&b, bytes); int t = options.threads; dim3 block(t, t);\n"
     "k<<<dim3((w - 2) / t, (h - 2) / t), block>>>(a, b, h, w); }\n",
     "kernel(k)\n"
     "problem(h = 1026)\n"
     "problem(w = 1026)\n"
     "args(out float y[h * w], in float x[h * w], int h, int w)\n"
     "tune(BLOCK_X = 8, 16, 32, 64, 128)\n"
     "default(BLOCK_X = 32)\n"
     "block(BLOCK_X, BLOCK_X)\n"
     "grid((w - 2) / BLOCK_X, (h - 2) / BLOCK_X)\n"
     "require((w - 2) % BLOCK_X == 0)\n"
     "require((h - 2) % BLOCK_X == 0)\n"
     "work(bytes = 8 * h * w)\n"
     "reference(self)\n"},
    {"no size has a fraction, and a condition that no size keeps is none",
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    y[i] = x[i];\n"
     "}\n"
     "int main() { int n = 1 << 20; float part = share(); n = (int)((float)n / part); float *a, "
     "*b; cudaMalloc(&a, n * 4); cudaMalloc((void **)&b, n * sizeof(float));\n"
     "k<<<n / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(n / BLOCK)\n"
     "require(n % BLOCK == 0)\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"numbers with an exponent, defaults of a function, and a scalar that is made of an unknown "
     "one",
     "__global__ void k(float *y, int n, float a, float b, int groups, int each, bool last)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = a * b + each * groups + last;\n"
     "}\n"
     "void run(float *y, int n, float a, float b = 0.25)\n"
     "{ for (int g = 2; g < 9; g *= 2)\n"
     "k<<<(n + 255) / 256, 256>>>(y, n, a, b, g, n / g, false); }\n"
     "int main() { int n = 4096; float *y; cudaMalloc(&y, n * 4); run(y, n, 1e-3f); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 12)\n"
     "args(out float y[n], int n, float a = 1e-3f, float b = 0.25, int groups = 2, int each = n / "
     "2, bool last = 0)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "require(n % 2 == 0)\n"
     "work(bytes = 4 * n)\n"
     "reference(self)\n"},
    {"a loop over a size that nothing states",
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    float sum = 0;\n"
     "    if (i < n) { for (int j = 0; j < n; j++) sum += x[j]; y[i] = sum; }\n"
     "}\n"
     "int main(int c, char **v) { int n = to_int(v[1]); float *a, *b; cudaMalloc(&a, n * 4); "
     "cudaMalloc((void **)&b, n * sizeof(float)); k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 16)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"a scalar that is a quotient of sizes",
     "__global__ void k(float *y, const float *x, int each)\n"
     "{\n"
     "    float sum = 0;\n"
     "    for (int j = threadIdx.x; j < each; j += blockDim.x) sum += x[blockIdx.x * each + j];\n"
     "    atomicAdd(&y[blockIdx.x], sum);\n"
     "}\n"
     "int main(int c, char **v) { int n = to_int(v[1]), groups = to_int(v[2]); float *y, *x;\n"
     "cudaMalloc(&y, groups * 4); cudaMalloc(&x, n * 4); k<<<groups, 128>>>(y, x, n / groups); }\n",
     "kernel(k)\n"
     "problem(groups = 1 << 20)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float y[groups], in float x[n], int each = n / groups)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "grid(groups)\n"
     "require(n % groups == 0)\n"
     "work(bytes = 8 * groups + 4 * n)\n"
     "reference(self)\n"},
    {"a value of names that are no sizes: neither it nor what must divide for it is there",
     "__global__ void k(float *y, const float *x, int n, int each)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = x[i] + each;\n"
     "}\n"
     "int main(int c, char **v) { P p; fill(&p); int n = p.dim, each = p.dim * p.some / p.all;\n"
     "float *y, *x; cudaMalloc(&y, n * 4); cudaMalloc(&x, n * 4);\n"
     "k<<<(n + 127) / 128, 128>>>(y, x, n, each); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n, int each = 1)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"how many entries a row has, and what is divided by",
     "__global__ void k(float *y, const float *x, const int *first, const int *by, int n)\n"
     "{\n"
     "    int row = blockIdx.x;\n"
     "    int begin = first[row], entries = first[row + 1] - begin;\n"
     "    for (int j = threadIdx.x; j < entries; j += blockDim.x) y[begin + j] = x[begin + j] / "
     "(float)by[row];\n"
     "}\n"
     "int main() { int n = 1024, all = 5000; float *y, *x; int *f, *b; cudaMalloc(&y, all * 4); "
     "cudaMalloc(&x, all * 4);\n"
     "cudaMalloc(&f, (n + 1) * 4); cudaMalloc(&b, n * 4); k<<<n, 128>>>(y, x, f, b, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 10)\n"
     "args(out float y[5000], in float x[5000], in int first[n + 1] = prefix(5000), in int by[n] = "
     "uniform(1, 99), int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "grid(n)\n"
     "work(bytes = 8 * n + 40004)\n"
     "reference(self)\n"},
    {"two sizes for as many elements",
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = x[i] + 1;\n"
     "}\n"
     "int main(int c, char **v) { int n = rows(v[1]), m = columns(v[1]); float *a, *b; "
     "cudaMalloc(&a, n * 4);\n"
     "cudaMalloc(&b, m * 4); k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "problem(m = 1 << 20)\n"
     "args(out float y[n], in float x[m], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "require(n <= m)\n"
     "work(bytes = 4 * n + 4 * m)\n"
     "reference(self)\n"},
    {"a number of blocks that nothing says",
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
     "y[i] = x[i];\n"
     "}\n"
     "int main() { int n = 4096, blocks; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc((void "
     "**)&b, n * sizeof(float)); occupancy(&blocks); k<<<blocks, 256>>>(a, b, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 12)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"threads that nothing compares with a size, in a number of blocks that does not follow theirs",
     "#define BLOCKS 64\n"
     "__global__ void k(float *y)\n"
     "{\n"
     "    y[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n"
     "}\n"
     "void run(int blocks) { float *y; cudaMalloc(&y, blocks * 128 * 4); k<<<blocks, 128>>>(y); "
     "}\n",
     "kernel(k)\n"
     "problem(blocks = 1 << 15)\n"
     "args(out float y[128 * blocks])\n"
     "block(128)\n"
     "grid(blocks)\n"
     "work(bytes = 512 * blocks)\n"
     "reference(self)\n"},
    {"a template's threads, of which the kernel itself says nothing",
     "template <int THREADS> __device__ float all(float v) { static __shared__ float s[THREADS]; "
     "s[threadIdx.x] = v; return s[0]; }\n"
     "template <int NUM_THREADS = 128> __global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    float v = i < n ? x[i] : 0;\n"
     "    v = all<NUM_THREADS>(v);\n"
     "    if (i < n) y[i] = v;\n"
     "}\n",
     "kernel(k<NUM_THREADS>)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(NUM_THREADS = 64, 128, 256, 512, 1024)\n"
     "default(NUM_THREADS = 128)\n"
     "block(NUM_THREADS)\n"
     "grid(ceil_div(n, NUM_THREADS))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"a comparison with a number bounds its own statement alone",
     "__global__ void k(float *y, const float *x, const float *w, int n)\n"
     "{\n"
     "    __shared__ float some[8];\n"
     "    int i = threadIdx.x;\n"
     "    if (i < 8) some[i] = w[i];\n"
     "    __syncthreads();\n"
     "    if (blockIdx.x < n) y[blockIdx.x * 256 + i] = x[i] * some[i % 8];\n"
     "}\n"
     "void f(float *y, float *x, float *w, int n)\n"
     "{ dim3 threads(256); k<<<n, threads>>>(y, x, w, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 14)\n"
     "args(out float y[256 * n], in float x[256], in float w[8], int n)\n"
     "block(256)\n"
     "grid(n)\n"
     "work(bytes = 1024 * n)\n"
     "reference(self)\n"},
    {"sizes in shared memory are as small as each GPU has it",
     "__global__ void k(float *y, const float *x, const float *w, int n, int taps)\n"
     "{\n"
     "    extern __shared__ float kept[];\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    for (int t = threadIdx.x; t < taps * taps; t += blockDim.x) kept[t] = w[t];\n"
     "    __syncthreads();\n"
     "    if (i < n) y[i] = x[i] * kept[i % taps];\n"
     "}\n"
     "void f(float *y, float *x, float *w, int n, int taps)\n"
     "{ k<<<(n + 127) / 128, 128, taps * taps * sizeof(float)>>>(y, x, w, n, taps); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 11)\n"
     "problem(taps = 64)\n"
     "args(out float y[n], in float x[n], in float w[taps][taps], int n, int taps)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "shared(4 * taps * taps)\n"
     "work(bytes = 4 * taps * taps + 8 * n)\n"
     "reference(self)\n"},
    {"the launch says the block, whatever fills an array, and half of three is one",
     "#define PART 7680\n"
     "#define WIDTH 3\n"
     "#define RADIUS (WIDTH / 2)\n"
     "__constant__ float mask[2 * RADIUS + 1];\n"
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    __shared__ float part[PART];\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    part[threadIdx.x] = i < n ? x[i] : 0;\n"
     "    for (int r = 0; r < 2 * RADIUS + 1; r++) part[threadIdx.x] *= mask[r];\n"
     "    if (i < n) y[i] = part[threadIdx.x];\n"
     "}\n"
     "int main() { int n = 10000; " ALLOCATED " k<<<(n + 511) / 512, 512>>>(b, a, n); }\n",
     "kernel(k)\n"
     "problem(n = 10000)\n"
     "constant(mask : float[3])\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 512)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"a label is no axis",
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) {\n"
     "        if (x[i] > 0) goto positive;\n"
     "        { y[i] = 0; return; }\n"
     "    positive:\n"
     "        y[i] = x[i];\n"
     "    }\n"
     "}\n"
     "int main() { int n = 1000; " ALLOCATED " k<<<(n + 127) / 128, 128>>>(b, a, n); }\n",
     COPY_CLAUSES("1000", USUAL, "128")},
    {"numbers have marks between their digits",
     COPY "int main() { const int n = 1'000'000; " ALLOCATED
          " k<<<(n + 127) / 128, 128>>>(b, a, n); }\n",
     COPY_CLAUSES("1000000", USUAL, "128")},
    {"names behind other declarators are no axes",
     "__global__ void k(float *y, const float *x, int n)\n"
     "{\n"
     "    __shared__ float __align__(8) tile[64];\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (threadIdx.x < 64) tile[threadIdx.x] = x[threadIdx.x];\n"
     "    if (i < n) y[i] = sum(tile);\n"
     "}\n",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[64], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 4 * n)\n"
     "reference(self)\n"},
    {"every kernel that is launched, and none else",
     "__global__ void unused(float *y) { y[threadIdx.x] = 0; }\n" COPY
     "__global__ void t(cudaTextureObject_t o) { }\n"
     "int main() { int n = 4096; " ALLOCATED
     " k<<<(n + 255) / 256, 256>>>(a, b, n); t<<<1, 1>>>(0); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
};

TEST(test_programs)
{
    check_programs(programs, sizeof programs / sizeof *programs);
}

static bool has(const char *text, const char *part)
{
    bool found = strstr(text, part) != NULL;
    if (!found) {
        print_error("no '%s' in\n%s", part, text);
    }
    return found;
}

/* What was looked for in vain is said, once each, with what was found instead. */
TEST(test_what_is_not_found)
{
    char *draft =
        draft_of(COPY "__global__ void t(cudaTextureObject_t o) { }\n"
                      "int main(int c, char **v) { int n = to_int(v[1]); float *a, *b;\n"
                      "make(&a); cudaMalloc(&b, n * 4); k<<<(n + 255) / 256, 256>>>(a, b, "
                      "n); t<<<1, 1>>>(0); }\n",
                 NULL);
    assert_true(
        has(draft, "// ? 'n': the program has to_int(v[1]) for it; a value to measure at\n"));
    assert_true(has(draft, "// ? how long 'y' is: found no cudaMalloc() of 'a'; its largest index "
                           "says so much\n"));
    assert_true(has(draft, "// ? no template of 't': kernel.cu:6:19: 'o' is a texture"));
    free(draft);
}

/* A variable in a namespace is out of a clause's reach. */
TEST(test_constant_in_a_namespace)
{
    char *draft = draft_of("extern \"C\" {\n__constant__ float b;\n}\n"
                           "namespace f {\n__constant__ float w[4];\n"
                           "__global__ void k(float *y, int n)\n{\n    int i = blockIdx.x * "
                           "blockDim.x + threadIdx.x;\n"
                           "    if (i < n) y[i] = w[0] + b;\n}\n}\n",
                           NULL);
    assert_true(
        has(draft, "// ? who fills 'w': it is in a namespace, where constant() finds nothing\n"));
    assert_true(has(draft, "constant(b : float[1])\n"));
    assert_null(strstr(draft, "is refused"));
    free(draft);
}

/* Results whose places atomics give need a judge of their own. */
TEST(test_results_in_any_order)
{
    char *draft =
        draft_of("__global__ void k(int *y, int *place, int *count, const int *x, int n)\n"
                 "{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "    if (i < n && x[i] > 0) {\n        int at = atomicAdd(count, 1);\n"
                 "        y[at] = x[i];\n        place[i] = at;\n    }\n}\n",
                 NULL);
    assert_true(has(draft, "// ? which order 'y' has: atomics give its elements their places"));
    assert_true(has(draft, "// ? which order 'place' has: "));
    assert_null(strstr(draft, "which order 'count'"));
    free(draft);
}

/* A type that a header of the host brings to the program has its own. */
TEST(test_headers_of_types)
{
    char *draft = draft_of("#include <cublas_v2.h>\n"
                           "__global__ void k(__nv_bfloat16 *y, const __nv_bfloat16 *x, int n)\n{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n) y[i] = x[i];\n}\n",
                           NULL);
    assert_int_equal(strncmp(draft, "#include <cuda_bf16.h>\n#include <cublas_v2.h>\n", 46), 0);
    free(draft);
}

/* A draft that is no template yet says so, and why. */
TEST(test_what_is_refused)
{
    char *draft = draft_of("__global__ void k(item *y) { y[threadIdx.x].a = 1; }\n"
                           "union item { int a; float b; };\n",
                           NULL);
    assert_true(has(draft, "// ? the draft of 'k' is refused as it stands: "));
    free(draft);
}

static gputune_status include(void *user, const gt_include *include, gt_included *out)
{
    (void)user;
    if (strcmp(include->name, "kernel.cuh") == 0) {
        GT_TRY(gt_strdup(&out->path, "kernel.cuh"));
        return gt_strdup(&out->text, "#define SCALE 2\n" COPY);
    }
    if (strcmp(include->name, "check.h") == 0) {
        GT_TRY(gt_strdup(&out->path, "check.h"));
        return gt_strdup(&out->text, "#pragma once\ninline bool same(float *a) { return a[0] == "
                                     "fabs(a[1]); }\nstruct { float i; } y;\n");
    }
    if (strcmp(include->name, "sizes.c") == 0) {
        GT_TRY(gt_strdup(&out->path, "sizes.c"));
        return gt_strdup(&out->text,
                         "const int all = 4096;\nvoid note() { fprintf(stderr, \"\"); }\n");
    }
    return strncmp(include->name, "../", 3) == 0
               ? gt_fail(GPUTUNE_EINVAL, "outside of what a template may read")
               : gt_fail(GPUTUNE_ENOTFOUND, "no file");
}

/* A kernel of a local header: its clauses stand in front of the #include; a header that is not
 * there, or outside of what a template may read, is left to the host. */
TEST(test_headers)
{
    char *draft;
    ASSERT_OK(gt_draft_template(&draft, "main.cu",
                                "#include \"check.h\"\n#include \"absent.h\"\n"
                                "#include \"../far.h\"\n#include <builder.h>\n"
                                "#include <curand_kernel.h>\n#include \"check.h\"\n#include "
                                "\"kernel.cuh\"\nint main()\n{ int n = 4096; " ALLOCATED
                                " k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
                                NULL, include, NULL, NULL));
    assert_true(has(
        draft, "#include \"check.h\"\n// ? \"absent.h\" is not below this file's folder; -I or "
               "GPUTUNE_INCLUDE names its "
               "folder\n"
               "#ifndef __CUDACC_RTC__\n#include \"absent.h\"\n#endif\n"
               "// ? \"../far.h\" is not below this file's folder; -I or GPUTUNE_INCLUDE names its "
               "folder\n"
               "#ifndef __CUDACC_RTC__\n#include \"../far.h\"\n#endif\n"
               "// ? <builder.h> is not found\n"
               "#ifndef __CUDACC_RTC__\n#include <builder.h>\n#endif\n"
               "#include <curand_kernel.h>\n#include \"check.h\"\n"
               "#pragma gputune kernel(k)\n"));
    assert_null(strstr(draft, "refused"));
    assert_true(has(draft, "#include \"kernel.cuh\"\nint main()\n"));
    assert_true(has(draft, "#pragma gputune args(out float y[n], in float x[n], int n)\n"));
    free(draft);
}

/* A source in C that is there says what its names are; what it has for the host alone goes. */
TEST(test_included_source)
{
    char *draft;
    ASSERT_OK(gt_draft_template(&draft, "main.cu",
                                "#include \"sizes.c\"\n#include \"absent.c\"\n"
                                "__global__ void k(float *y)\n{\n"
                                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (i < all) y[i] = 1;\n}\n",
                                NULL, include, NULL, NULL));
    assert_true(has(draft, "#pragma gputune args(out float y[4096])\n"));
    assert_null(strstr(draft, "?"));
    free(draft);
}

/* A name that a header may define which is not found is no axis. */
TEST(test_names_of_missing_headers)
{
    char *draft;
    ASSERT_OK(gt_draft_template(&draft, "paint.cu",
                                "#include \"../kinds.h\"\n__global__ void paint(int *y, int n)\n{\n"
                                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (i < n) y[i] = i % 2 ? RED : GREEN;\n}\n",
                                NULL, include, NULL, NULL));
    assert_true(has(draft,
                    "// ? nothing here defines 'RED'; a header that is not found may, or else "
                    "tune(RED = …) does\n"));
    assert_null(strstr(draft, "#pragma gputune tune(RED"));
    free(draft);
}

/* An #error about the host is put aside; the draft of that draft is the same. */
TEST(test_what_is_the_hosts)
{
    static const char text[] = "#ifdef _WIN32\n#include <windows.h>\n#else\n#error only there\n"
                               "#endif\nGLuint buffers, others;\n" COPY;
    char *draft = draft_of(text, NULL);
    assert_true(has(draft, "#else\n#ifndef __CUDACC_RTC__\n#error only there\n#endif\n#endif\n"
                           "GLuint buffers, others;\n"));
    char *again = draft_of(draft, NULL);
    assert_string_equal(again, draft);
    free(again);
    free(draft);
}

/* A length that is the difference of two sizes is of one element at least. */
TEST(test_sizes_that_differ)
{
    char *draft = draft_of("__global__ void k(float *y, const float *x, int n)\n{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n) y[i] = x[i];\n}\n"
                           "void run(int rows, int skipped) { float *a, *b;\n"
                           "cudaMalloc(&a, (rows - skipped) * 4); cudaMalloc(&b, rows * 4);\n"
                           "k<<<(rows - skipped + 255) / 256, 256>>>(a, b, rows - skipped); }\n",
                           NULL);
    assert_true(has(draft, "problem(rows = 1 << 20)\n"));
    assert_true(has(draft, "problem(skipped = 1 << 19)\n"));
    gt_template_free(parse(draft));
    free(draft);
}

/* The files of a program whose kernel is in another one than its launch. */
static gputune_status find_neighbour(void *user, size_t index, gt_included *out)
{
    const char *const *files = user;
    if (!files[index]) {
        return GPUTUNE_ENOTFOUND;
    }
    GT_TRY(gt_path_format(&out->path, "%zu.cpp", index));
    return gt_strdup(&out->text, files[index]);
}

static char *draft_beside(const char *text, const char *const *files)
{
    char *draft;
    ASSERT_OK(
        gt_draft_template(&draft, "kernel.cu", text, NULL, NULL, find_neighbour, (void *)files));
    return draft;
}

#define RUN  "void run(float *a, float *b, int n) { k<<<(n + 127) / 128, 128>>>(a, b, n); }\n"
#define MAIN "int main() { int n = 50000; " ALLOCATED " run(a, b, n); }\n"

#define ALLOCATE "void make(float **a, int n) { cudaMalloc(a, n * 4); }\n"
#define MAKE     "int main() { int n = 50000; float *a, *b; make(&a, n); make(&b, n); run(a, b, n); }\n"

/* Another program that has a function of the same name is none of this one's files; what allocates
 * its memory is one. */
TEST(test_other_files)
{
    static const char other[] = "void run(float *a) { }\nint main() { int n = 77; run(0); }\n";
    static const struct {
        const char *text, *files[4];
    } cases[] = {
        {COPY, {other, RUN MAIN}},
        {COPY RUN, {other, "void help() { }\n", MAIN}},
        {COPY, {RUN, "int main() { int n = 77; " ALLOCATED " }\n", MAIN}},
        {COPY RUN MAIN, {"int main() { run(0, 0, 77); }\n"}},
        {COPY RUN MAKE, {other, ALLOCATE}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *draft = draft_beside(cases[i].text, cases[i].files);
        char *clauses = new_clauses(draft, "");
        assert_string_equal(clauses, COPY_CLAUSES("50000", USUAL, "128"));
        free(clauses);
        free(draft);
    }
}

/* A file that another one includes has in front of it what it needs of that; one that needs none of
 * it stays alone. The draft of the draft is the same. */
TEST(test_included_by_another)
{
    static const char *const files[] = {
        "#define TWICE 2\n#ifndef NARROW\nusing real = float;\n#include \"kernel.cu\"\n#endif\n" RUN
            MAIN,
        NULL};
    static const char *const used[] = {"real", "TWICE"};
    for (int i = 0; i < 3; i++) {
        gt_text text = {0};
        gt_text_printf(&text,
                       "__global__ void k(%s *y, const float *x, int n)\n{\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < n) y[i] = x[i] * %s;\n}\n",
                       i == 0 ? used[0] : "float", i == 1 ? used[1] : "3");
        char *draft = draft_beside(gt_text_string(&text), files);
        assert_int_equal(has(draft,
                             "#ifdef __CUDACC_RTC__ // 0.cpp has this in front of kernel.cu\n"
                             "#define TWICE 2\n#ifndef NARROW\nusing real = float;\n"
                             "#endif\n#endif\n"),
                         i < 2);
        gt_template_free(parse(draft));
        char *again = draft_beside(draft, files);
        assert_string_equal(again, draft);
        free(again);
        free(draft);
        gt_text_free(&text);
    }
}

/* A number of blocks that is the block's by chance is no block. */
TEST(test_numbers_of_blocks)
{
    char *draft = draft_of(
        "__global__ void k(float *y, int w, int h)\n{\n"
        "    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + "
        "threadIdx.y;\n    if (c < w && r < h) y[r * w + c] = 1;\n}\n"
        "int main() { int w = 512, h = 256; float *y; cudaMalloc(&y, w * h * sizeof(float));\n"
        "k<<<dim3(16, 32), dim3(32, 8)>>>(y, w, h); }\n",
        NULL);
    assert_true(has(draft, "grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y))\n"));
    free(draft);
}

/* Of kernels of one name, the first has a template, and the others are named. */
TEST(test_overloads)
{
    static const char text[] = COPY "__global__ void k(double *y, int n) { y[0] = n; }\n"
                                    "int main() { int n = 4096; " ALLOCATED
                                    " k<<<n / 64, 64>>>(a, b, n); k<<<1, 1>>>((double *)a, n); }\n";
    char *draft = draft_of(text, NULL);
    assert_true(has(draft, "// ? no template of this 'k': another kernel has its name, and args() "
                           "choose between them\n__global__ void k(double *y, int n)"));
    gt_template_free(parse(draft));
    free(draft);
}

/* A specialisation of a kernel is no kernel of its own, and ends no list of them. */
TEST(test_specialisation_between_kernels)
{
    static const char text[] =
        "template <typename T> __global__ void first(T *y, int n)\n{\n"
        "    if (threadIdx.x < n) y[threadIdx.x] = 1;\n}\n"
        "template <> __global__ void first<double>(double *y, int n) { y[0] = n; }\n"
        "__global__ void second(float *y, int n)\n{\n"
        "    if (threadIdx.x < n) y[threadIdx.x] = 2;\n}\n";
    char *draft = draft_of(text, NULL);
    assert_true(has(draft, "kernel(first<T>)\n"));
    assert_true(has(draft, "kernel(second)\n"));
    free(draft);
}

/* What a tuner's script says of the names that nothing else defines. */
TEST(test_scripts)
{
    static const char text[] =
        "#if TYPE == 1\ntypedef float real;\n#elif TYPE == 2\ntypedef double real;\n#endif\n"
        "__global__ void k(real *y, int n)\n{\n"
        "    int i = blockIdx.x * block_size_x + threadIdx.x;\n#if CHECKED == 1\n"
        "    if (i >= n * LATER) return;\n#endif\n    if (i < n) y[i] = UNROLL;\n}\n";
    static const char *const files[] = {
        "tuner.AddParameter(kernel, \"UNROLL\", std::vector<uint64_t>{1, 3, 5});\n"
        "tuner.AddParameter(kernel, \"LATER\", {4, 2});\nf(\"n\", x, {1}, \"TYPE\", {y});\n",
        "tune_params[\"block_size_x\"] = [48, 96, 192]\nprint(\",\", [3])\n", NULL};
    char *draft = draft_beside(text, files);
    assert_true(has(draft, "tune(TYPE = 1, 2)\n"));
    assert_true(has(draft, "tune(CHECKED = 1, 0)\n"));
    assert_true(has(draft, "tune(UNROLL = 1, 3, 5)\n"));
    assert_true(has(draft, "tune(LATER = 2, 4)\n"));
    assert_true(has(draft, "tune(block_size_x = 48, 96, 192)\n"));
    assert_null(strstr(draft, "tune(,")); /* a text that is no name */
    free(draft);
}
