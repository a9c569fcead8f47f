/* First templates: which launch is read, and what the kernel's indices say about it. */
#include "draft_support.h"

static const gt_drafted_program programs[] = {
    {"a flat shared array of all threads, by which no dimension alone is as long",
     "#define W 64\n#define H 8\n__global__ void k(float *y, const float *x, int n, int m)\n{\n"
     "    __shared__ float tile[W * H];\n"
     "    int i = blockIdx.x * W + threadIdx.x, j = blockIdx.y * H + threadIdx.y;\n"
     "    tile[threadIdx.y * W + threadIdx.x] = i < n && j < m ? x[j * n + i] : 0;\n"
     "    __syncthreads();\n    if (i < n && j < m) y[j * n + i] = tile[threadIdx.y * W + W - 1 - "
     "threadIdx.x];\n}\n",
     "kernel(k)\nproblem(n = 1 << 11)\nproblem(m = 1 << 11)\n"
     "args(out float y[m][n], in float x[m][n], int n, int m)\n"
     "tune(W = 8, 16, 32, 64)\ndefault(W = 64)\ntune(H = 8, 16, 32)\ndefault(H = 8)\n"
     "block(W, H)\ngrid(ceil_div(n, W), ceil_div(m, H))\nwork(bytes = 8 * n * m)\n"
     "reference(self)\n"},
    {"several elements of each thread, of which only the launch says how many there are",
     "__global__ void k(intptr_t *y, const intptr_t *x)\n{\n"
     "    int i = 25 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
     "    y[i] = x[i + 24];\n    y[i + 24] = x[i];\n}\n"
     "void run(intptr_t *a, intptr_t *b, int n) { k<<<n / 32, 32>>>(a, b); }\n",
     "kernel(k)\nproblem(n = 1 << 17)\n"
     "args(out intptr_t y[25 * n], in intptr_t x[25 * n] = uniform(0, 99))\n"
     "tune(BLOCK = 32, 64, 128, 256, 512, 1024)\ndefault(BLOCK = 32)\nblock(BLOCK)\n"
     "grid(n / BLOCK)\nrequire(n % BLOCK == 0)\nwork(bytes = 400 * n)\nreference(self)\n"},
    {"indices into a buffer whose length is no sum",
     "__global__ void k(float *y, const int *from, const float *x, int n, int m)\n{\n"
     "    int t = threadIdx.x + blockIdx.x * blockDim.x;\n    if (t >= n * m) return;\n"
     "    y[t] = x[n + t / m] - x[n + from[t]];\n}\n"
     "void run(float *y, int *from, float *x, int n, int m)\n{\n"
     "    k<<<(n * (m < n ? m : n) + 255) / 256, 256>>>(y, from, x, n, m < n ? m : n);\n}\n",
     "kernel(k)\nproblem(n = 1 << 11)\nproblem(host_m = 1 << 11)\n"
     "args(out float y[n][(host_m < n ? host_m : n)], "
     "in int from[n][(host_m < n ? host_m : n)] = uniform(0, 99), "
     "in float x[2 * n + 1 - ceil_div(1, (host_m < n ? host_m : n))], int n, "
     "int m = host_m < n ? host_m : n)\n"
     "block(256)\ngrid(ceil_div(n * (host_m < n ? host_m : n), 256))\n"
     "require(n * (host_m < n ? host_m : n) % 256 == 0)\n"
     "work(bytes = 8 * n * (host_m < n ? host_m : n) + 8 * n - "
     "4 * ceil_div(1, (host_m < n ? host_m : n)))\nreference(self)\n"},
    {"of several launches, the one whose buffers are allocated",
     COPY "void wrap(Tensor a, Tensor b) { int n = b.size(0); k<<<(n + 63) / 64, 64>>>(a.data(), "
          "b.data(), n); }\n"
          "int main() { int n = 4096; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);\n"
          "k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"a block that decides how much is written",
     "#define WIDTH 32\n#define HEIGHT 16\n"
     "__global__ void k(int *y)\n{\n"
     "    __shared__ int tile[HEIGHT][WIDTH];\n"
     "    int i = threadIdx.y * blockDim.x + threadIdx.x;\n"
     "    tile[threadIdx.y][threadIdx.x] = i;\n    __syncthreads();\n"
     "    y[i] = tile[threadIdx.y][threadIdx.x];\n}\n"
     "int main() { int *y; cudaMalloc(&y, WIDTH * HEIGHT * sizeof(int));\n"
     "dim3 block(WIDTH, HEIGHT), grid(1, 1); k<<<grid, block>>>(y); }\n",
     "kernel(k)\n"
     "args(out int y[512])\n"
     "block(32, 16)\n"
     "grid(1, 1)\n"
     "work(bytes = 2048)\n"
     "reference(self)\n"},
    {"whole tiles of a size that the launch counts in tiles",
     "template <int B> __global__ void k(float *y, const float *x, int n, int tiles)\n{\n"
     "    for (int t = 0; t < tiles; t++)\n"
     "        y[blockIdx.x * n + t * B + threadIdx.x / B] = x[threadIdx.x];\n}\n"
     "int main() { const int n = 512, rows = 8; float *x, *y;\n"
     "cudaMalloc(&y, rows * n * 4); cudaMalloc(&x, 256 * 4);\n"
     "k<16><<<rows, 256>>>(y, x, n, (n + 15) / 16); }\n",
     "kernel(k<B>)\n"
     "problem(n = 512)\n"
     "problem(rows = 8)\n"
     "problem(const B = 16)\n"
     "args(out float y[rows * n], in float x[256], int n, int tiles = ceil_div(n, 16))\n"
     "block(256)\n"
     "grid(rows)\n"
     "require(n * rows - n + 16 * ceil_div(n, 16) <= rows * n)\n"
     "work(bytes = 4 * rows * n + 1024)\n"
     "reference(self)\n"},
    {"an index by a macro, and a comparison that does not bound it",
     "#define AT(row, column, width) ((row) * (width) + (column))\n"
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    __shared__ float tile[16][16];\n"
     "    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;\n"
     "    if (row < n && column < n) tile[threadIdx.y][threadIdx.x] = x[AT(row, column, n)];\n"
     "    __syncthreads();\n"
     "    if (row < n && column < n)\n"
     "        y[AT(blockIdx.x * 16 + threadIdx.y, blockIdx.y * 16 + threadIdx.x, n)] =\n"
     "            tile[threadIdx.x][threadIdx.y];\n}\n"
     "int main() { int n = 1024; float *x, *y;\n"
     "cudaMalloc(&y, n * n * 4); cudaMalloc(&x, n * n * 4);\n"
     "k<<<dim3(n / 16 + 1, n / 16 + 1), dim3(16, 16)>>>(y, x, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 10)\n"
     "args(out float y[n * n], in float x[n * n], int n)\n"
     "block(16, 16)\n"
     "grid(n / 16 + 1, n / 16 + 1)\n"
     "require(n % 16 == 0)\n"
     "work(bytes = 8 * n * n)\n"
     "reference(self)\n"},
    {"elements by macros alone",
     "#define X(i) x[(i) * 2]\n#define Y(i) y[i]\n"
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) Y(i) = X(i);\n}\n",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[2 * n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 12 * n)\n"
     "reference(self)\n"},
    {"members of structs, which a function calls otherwise",
     "struct data { float *x, *y; };\n"
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[2 * i];\n}\n"
     "void run(struct data *d, int n) { k<<<(n + 255) / 256, 256>>>(d->y, d->x, n); }\n"
     "int main() { int n = 4096; struct data own; cudaMalloc(&own.x, 2 * n * 4);\n"
     "cudaMalloc(&own.y, n * 4); run(&own, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 12)\n"
     "args(out float y[n], in float x[2 * n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 12 * n)\n"
     "reference(self)\n"},
    {"states of a library, which are bytes",
     "#include <curand_kernel.h>\n"
     "__global__ void k(curandState *states, float *y, int n)\n{\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = curand_uniform(&states[i]);\n}\n"
     "int main() { int n = 4096; curandState *s; float *y; cudaMalloc(&y, n * 4);\n"
     "cudaMalloc(&s, n * sizeof(curandState)); k<<<(n + 255) / 256, 256>>>(s, y, n); }\n",
     "kernel(k)\n"
     "problem(n = 1 << 12)\n"
     "args(inout unsigned char states[48 * n] = zero, out float y[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 100 * n)\n"
     "reference(self)\n"},
    {"a name that a macro declares",
     "#define LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); "
     "i += blockDim.x * gridDim.x)\n"
     "__global__ void k(float *y, const float *x, int n)\n{\n"
     "    LOOP(index, n) { y[index] = x[index]; }\n}\n"
     "int main() { int n = 4096; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);\n"
     "k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     COPY_CLAUSES("1 << 12", USUAL, "256")},
    {"a coordinate that falls as the index rises, and is no index",
     "#define SCALE 971500.0\n"
     "__global__ void k(double *y, int w, int h)\n{\n"
     "    int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
     "    double at = 0.1 + (5 - (double)row) / SCALE;\n"
     "    y[row * w + column] = at;\n}\n",
     "kernel(k)\n"
     "problem(w = 1 << 11)\n"
     "problem(h = 1 << 11)\n"
     "args(out double y[h][w], int w, int h)\n"
     "tune(BLOCK_X = 8, 16, 32, 64, 128)\n"
     "default(BLOCK_X = 32)\n"
     "tune(BLOCK_Y = 1, 2, 4, 8, 16)\n"
     "default(BLOCK_Y = 8)\n"
     "block(BLOCK_X, BLOCK_Y)\n"
     "require(BLOCK_X * BLOCK_Y >= 32)\n"
     "grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y))\n"
     "require(w % BLOCK_X == 0)\n"
     "require(h % BLOCK_Y == 0)\n"
     "work(bytes = 8 * w * h)\n"
     "reference(self)\n"},
    {"rows of blocks in the grid's second dimension alone",
     "__global__ void k(float *y, int rows)\n{\n"
     "    int r = blockIdx.y * blockDim.y + threadIdx.y;\n    if (r < rows) y[r] = r;\n}\n",
     "kernel(k)\n"
     "problem(rows = 1 << 19)\n"
     "args(out float y[rows], int rows)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(1, BLOCK)\n"
     "grid(1, ceil_div(rows, BLOCK))\n"
     "work(bytes = 4 * rows)\n"
     "reference(self)\n"},
    {"a size that the program is given, of which the grid takes few in its second dimension",
     "__global__ void k(float *y, int rows)\n{\n"
     "    if (blockIdx.y < rows) y[blockIdx.y * 32 + threadIdx.x] = 1;\n}\n"
     "int main(int c, char **v) { int rows = to_int(v[1]); float *y;\n"
     "cudaMalloc(&y, rows * 32 * 4); k<<<dim3(1, rows), 32>>>(y, rows); }\n",
     "kernel(k)\n"
     "problem(rows = 1 << 15)\n"
     "args(out float y[32 * rows], int rows)\n"
     "block(32)\n"
     "grid(1, rows)\n"
     "work(bytes = 128 * rows)\n"
     "reference(self)\n"},
    {"a step of two blocks' names, each of its dimension",
     "template <int BDIM_X, int BDIM_Y> __global__ void k(float *y, int w)\n{\n"
     "    int row = blockIdx.y * BDIM_Y + threadIdx.y;\n"
     "    int column = blockIdx.x * BDIM_X + threadIdx.x;\n"
     "    int tid = (blockIdx.y * gridDim.x + blockIdx.x) * BDIM_X * BDIM_Y +\n"
     "              threadIdx.y * BDIM_X + threadIdx.x;\n    y[row * w + column] = tid;\n}\n"
     "#define SIDE 16\n"
     "int main() { int w = 1024; float *y; cudaMalloc(&y, w * 512 * 4);\n"
     "k<SIDE, SIDE><<<dim3(w / SIDE, 512 / SIDE), dim3(SIDE, SIDE)>>>(y, w); }\n",
     "kernel(k<BDIM_X, BDIM_Y>)\n"
     "problem(w = 1 << 10)\n"
     "args(out float y[512 * w], int w)\n"
     "problem(const BDIM_X = 16)\n"
     "problem(const BDIM_Y = 16)\n"
     "block(BDIM_X, BDIM_Y)\n"
     "require(BDIM_X * BDIM_Y >= 32)\n"
     "grid(w / BDIM_X, 512 / BDIM_Y)\n"
     "require(w % BDIM_X == 0)\n"
     "require(512 % BDIM_Y == 0)\n"
     "work(bytes = 2048 * w)\n"
     "reference(self)\n"},
    {"a block of two parameters of the kernel's template",
     "template <int BX, int BY> __global__ void k(float *y, int w)\n{\n"
     "    int row = blockIdx.y * BY + threadIdx.y, column = blockIdx.x * BX + threadIdx.x;\n"
     "    y[row * w + column] = 1;\n}\n"
     "int main() { int w = 1024; float *y; cudaMalloc(&y, w * 512 * 4);\n"
     "k<32, 8><<<dim3(w / 32, 512 / 8), dim3(32, 8)>>>(y, w); }\n",
     "kernel(k<BX, BY>)\n"
     "problem(w = 1 << 10)\n"
     "args(out float y[512 * w], int w)\n"
     "tune(BX = 8, 16, 32)\n"
     "default(BX = 32)\n"
     "tune(BY = 8, 16, 32)\n"
     "default(BY = 8)\n"
     "block(BX, BY)\n"
     "grid(w / BX, 512 / BY)\n"
     "require(w % BX == 0)\n"
     "work(bytes = 2048 * w)\n"
     "reference(self)\n"},
};

TEST(test_launches)
{
    check_programs(programs, sizeof programs / sizeof *programs);
}
