/* First templates from plain kernels: what is read off the code. */
#include "draft_support.h"

static const gt_drafted drafts[] = {
    {"axpy", NULL,
     "kernel(axpy)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float y[n], in float x[n], float a = 0.5, int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 12 * n)\n"
     "reference(self)\n"},
    {"batch", NULL,
     "kernel(scale)\n"
     "problem(n = 1 << 11)\n"
     "problem(batch = 1 << 11)\n"
     "args(inout cplx data[n][batch] = uniform(0, 99), unsigned int n, unsigned int batch, float "
     "norm = 0.5)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n * batch, BLOCK)))\n"
     "reference(self)\n"},
    {"begun", NULL,
     "args(out int y[n], in int x[n] = uniform(0, 99), int n)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"bins", NULL,
     "kernel(bins)\n"
     "problem(n = 1 << 20)\n"
     "args(in u8 in[n] = uniform(0, 99), size_t n, inout unsigned int out[256] = zero)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "shared(256 * sizeof(unsigned int))\n"
     "work(bytes = n)\n"
     "reference(self)\n"},
    {"cast", NULL,
     "kernel(scale)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], float a = 0.5, int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(ceil_div(n, 4), BLOCK))\n"
     "require(n % 4 == 0)\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"conv", NULL,
     "kernel(conv)\n"
     "problem(w = 1 << 10)\n"
     "problem(h = 1 << 10)\n"
     "constant(filter : float[81])\n"
     "args(out float out[h][w], in float in[w * h + 8 * w + 8 * h + 64], int w, int h)\n"
     "tune(TW = 8, 16, 32)\n"
     "default(TW = 16)\n"
     "block(TW, TW)\n"
     "grid(ceil_div(w, TW), ceil_div(h, TW))\n"
     "work(bytes = 8 * w * h + 32 * w + 32 * h)\n"
     "reference(self)\n"},
    {"dot", NULL,
     "kernel(dot)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float result[1], in float a[n], in float b[n], int n)\n"
     "tune(BLOCK = 64, 128, 256)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"gemv", NULL,
     "kernel(gemv)\n"
     "problem(rows = 1 << 11)\n"
     "problem(cols = 1 << 11)\n"
     "args(out float y[rows], in float A[rows][cols], in float x[cols], int rows, int cols)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(32 * rows, BLOCK))\n"
     "work(bytes = 4 * rows * cols + 4 * rows + 4 * cols)\n"
     "reference(self)\n"},
    {"heat", NULL,
     "kernel(heat)\n"
     "problem(nx = 128)\n"
     "problem(ny = 128)\n"
     "problem(nz = 128)\n"
     "args(out double out[nz][ny][nx], in double in[nz][ny][nx], int nx, int ny, int nz, double c "
     "= 0.5)\n"
     "tune(BLOCK_X = 8, 16, 32, 64)\n"
     "default(BLOCK_X = 32)\n"
     "tune(BLOCK_Y = 1, 2, 4, 8)\n"
     "default(BLOCK_Y = 4)\n"
     "tune(BLOCK_Z = 1, 2, 4, 8)\n"
     "default(BLOCK_Z = 2)\n"
     "block(BLOCK_X, BLOCK_Y, BLOCK_Z)\n"
     "require(BLOCK_X * BLOCK_Y * BLOCK_Z >= 32)\n"
     "grid(ceil_div(nx, BLOCK_X), ceil_div(ny, BLOCK_Y), ceil_div(nz, BLOCK_Z))\n"
     "work(bytes = 16 * nx * ny * nz)\n"
     "reference(self)\n"},
    {"histogram", NULL,
     "kernel(histogram)\n"
     "problem(n = 1 << 20)\n"
     "args(inout unsigned int bins[256] = zero, in unsigned char data[n] = uniform(0, 255), "
     "size_t n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "work(bytes = n)\n"
     "reference(self)\n"},
    {"matmul", NULL,
     "kernel(matmul)\n"
     "problem(M = 1 << 11)\n"
     "problem(N = 1 << 11)\n"
     "problem(K = 1 << 11)\n"
     "args(in float A[M][K], in float B[K][N], out float C[M][N], int M, int N, int K)\n"
     "tune(TILE = 8, 16, 32)\n"
     "default(TILE = 16)\n"
     "block(TILE, TILE)\n"
     "grid(ceil_div(N, TILE), ceil_div(M, TILE))\n"
     "work(bytes = 4 * M * K + 4 * K * N + 4 * M * N)\n"
     "reference(self)\n"},
    {"moved_pointers", NULL,
     "kernel(sgemm)\n"
     "problem(M = 1 << 11)\n"
     "problem(N = 1 << 11)\n"
     "problem(K = 1 << 11)\n"
     "args(int M, int N, int K, float alpha = 0.5, in float A[M][N], in float B[M][N], float beta "
     "= 0.5, inout float C[M][N])\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(M, N)\n"
     "reference(self)\n"},
    {"nbody", NULL,
     "kernel(sim::forces)\n"
     "problem(n = 1 << 16)\n"
     "args(out float4 acc[n], in float4 pos[n], int n, float eps = 0.5)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "require(BLOCK <= 256) // __launch_bounds__\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 32 * n)\n"
     "reference(self)\n"},
    {"no_size", NULL,
     "kernel(saxpy)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float y[n], in float x[n], float a = 0.5)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "require(n % BLOCK == 0)\n"
     "work(bytes = 12 * n)\n"
     "reference(self)\n"},
    {"partial_sums", NULL,
     "kernel(sum)\n"
     "problem(n = 1 << 20)\n"
     "args(out float partial[256], in float x[n], int n)\n"
     "block(256)\n"
     "grid(256)\n"
     "shared(256 * sizeof(float))\n"
     "work(bytes = 4 * n)\n"
     "reference(self)\n"},
    {"softmax", NULL,
     "kernel(softmax<T, BLOCK_SIZE>)\n"
     "problem(cols = 1 << 11)\n"
     "problem(rows = 1 << 11)\n"
     "problem(type T = float, double)\n"
     "args(out T out[rows][cols], in T in[rows][cols], int cols)\n"
     "tune(BLOCK_SIZE = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK_SIZE = 256)\n"
     "block(BLOCK_SIZE)\n"
     "grid(rows)\n"
     "reference(self)\n"},
    {"spmv", NULL,
     "kernel(spmv)\n"
     "problem(rows = 1 << 20)\n"
     "problem(nnz = 1 << 20)\n"
     "args(in int row_ptr[rows + 1] = prefix(nnz), in int cols[nnz] = uniform(0, rows - 1), in "
     "float vals[nnz], in float x[rows], out float y[rows], int rows)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(rows, BLOCK))\n"
     "reference(self)\n"},
    {"stencil", NULL,
     "kernel(stencil)\n"
     "problem(width = 1 << 11)\n"
     "problem(height = 1 << 11)\n"
     "args(out float out[height][width], in float in[height][width], int width, int height)\n"
     "tune(BLOCK_X = 8, 16, 32, 64, 128)\n"
     "default(BLOCK_X = 32)\n"
     "tune(BLOCK_Y = 1, 2, 4, 8, 16)\n"
     "default(BLOCK_Y = 8)\n"
     "block(BLOCK_X, BLOCK_Y)\n"
     "require(BLOCK_X * BLOCK_Y >= 32)\n"
     "grid(ceil_div(width, BLOCK_X), ceil_div(height, BLOCK_Y))\n"
     "work(bytes = 8 * width * height)\n"
     "reference(self)\n"},
    {"structs", NULL,
     "kernel(move)\n"
     "problem(n = 1 << 20)\n"
     "args(inout particle p[n] = uniform(0, 99), params q = {.alpha = 0.5, .beta = 0.5})\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "reference(self)\n"},
    {"transpose", NULL,
     "kernel(transpose)\n"
     "problem(width = 1 << 11)\n"
     "problem(height = 1 << 11)\n"
     "args(out float odata[width][height], in float idata[height][width], int width, int height)\n"
     "block(32, 8)\n"
     "grid(ceil_div(width, 32), ceil_div(height, 32))\n"
     "work(bytes = 8 * width * height)\n"
     "reference(self)\n"},
    {"transpose_named", NULL,
     "kernel(transpose)\n"
     "problem(width = 1 << 11)\n"
     "problem(height = 1 << 11)\n"
     "args(out float odata[width][height], in float idata[height][width], int width, int height)\n"
     "tune(TILE_DIM = 8, 16, 32)\n"
     "default(TILE_DIM = 32)\n"
     "tune(BLOCK_ROWS = 8, 16, 32)\n"
     "default(BLOCK_ROWS = 8)\n"
     "block(TILE_DIM, BLOCK_ROWS)\n"
     "grid(ceil_div(width, TILE_DIM), ceil_div(height, TILE_DIM))\n"
     "require(TILE_DIM % BLOCK_ROWS == 0)\n"
     "work(bytes = 8 * width * height)\n"
     "reference(self)\n"},
    {"warps", NULL,
     "kernel(sums)\n"
     "problem(rows = 1 << 11)\n"
     "problem(cols = 1 << 11)\n"
     "args(out real y[rows], in real x[rows][cols], int rows, int cols)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(rows, ceil_div(BLOCK, 32)))\n"
     "work(bytes = 8 * rows * cols + 8 * rows)\n"
     "reference(self)\n"},
    {"two_kernels", "blur",
     "kernel(blur)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"with_host", NULL,
     "kernel(MatrixMulKernel)\n"
     "problem(Width = 256)\n"
     "args(in float Md[Width * Width], in float Nd[Width * Width], out float Pd[Width * Width], "
     "int "
     "Width)\n"
     "tune(TILE_WIDTH = 8, 16, 32)\n"
     "default(TILE_WIDTH = 16)\n"
     "block(TILE_WIDTH, TILE_WIDTH)\n"
     "grid(Width / TILE_WIDTH, Width / TILE_WIDTH)\n"
     "require(Width % TILE_WIDTH == 0)\n"
     "work(bytes = 12 * Width * Width)\n"
     "reference(self)\n"},
    {"by_others", NULL,
     "kernel(copied)\n"
     "problem(n = 1 << 20)\n"
     "problem(type T = float, double)\n"
     "args(inout T to[n] = uniform(0, 99), in T from[n] = uniform(0, 99), size_t n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "require(n % BLOCK == 0)\n"
     "reference(self)\n"},
    {"rows_unused", "scale_rows",
     "kernel(scale_rows)\n"
     "problem(rows = 1 << 11)\n"
     "problem(columns = 1 << 11)\n"
     "args(out float y[rows][columns], in float x[rows][columns], int rows, int columns)\n"
     "tune(THREADS = 64, 128, 256, 512, 1024)\n"
     "default(THREADS = 256)\n"
     "block(THREADS)\n"
     "grid(rows)\n"
     "work(bytes = 8 * rows * columns)\n"
     "reference(self)\n"},
};

TEST(test_clauses)
{
    for (size_t i = 0; i < sizeof drafts / sizeof *drafts; i++) {
        check_draft(&drafts[i]);
    }
}

TEST(test_code_stays)
{
    char *text = read_text("tests/draft/drafts/with_host.cu");
    char *draft = draft_of(text, NULL), *at = draft;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        char *own = NULL;
        ASSERT_OK(gt_strndup(&own, line, strcspn(line, "\n") + 1));
        at = strstr(at, own);
        assert_non_null(at); /* in their order */
        free(own);
    }
    /* a constant that is an axis is left out by the engine */
    assert_non_null(strstr(draft, "\nconst int TILE_WIDTH = 16;\n"));
    assert_null(strstr(draft, "#ifndef TILE_WIDTH"));
    free(draft);
    free(text);
}

#define K "__global__ void k("

static const struct {
    const char *text, *kernel;
    gputune_status status;
    const char *message;
} refused[] = {
    {"int n;\n", NULL, GPUTUNE_ENOTFOUND,
     "kernel.cu: no __global__ function; expected a kernel's definition"},
    {K "int *y) { *y = 1; }\n", "q", GPUTUNE_ENOTFOUND,
     "kernel.cu: no kernel 'q'; expected one of k"},
    {K "float *y, cudaTextureObject_t t) { *y = 1; }\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:19: 't' is a texture, of which the type does not say what it reads; expected the "
     "buffer, as in float NAME[n], and texture(NAME) for tex1Dfetch() or tex2D()"},
    {"\n" K "float *y)\n{\n    *y = tex1Dfetch(t, 0);\n}\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:4:10: a read without a type, as of a texture reference; expected "
     "tex1Dfetch<TYPE>() "
     "or tex2D<TYPE>() of a cudaTextureObject_t parameter"},
    {K "float *y, cudaTextureObject_t t) { *y = texCubemap<float>(t, 0, 0, 0); }\n", NULL,
     GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:19: 't' is a texture, of which the type does not say what it reads; expected the "
     "buffer, as in float NAME[n], and texture(NAME) for tex1Dfetch() or tex2D()"},
    {K "float *y) { *y = texCubemap<float>(t, 0, 0, 0); }\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:36: a fetch that no template has; expected tex1D(), tex2D(), tex3D() or "
     "tex1Dfetch()"},
    {K "float *y) { surf2Dwrite(1.0f, s, 0, 0); }\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:31: a surface, which a template cannot have; expected a buffer"},
    {K "int n) { printf(\"%d\", n); }\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:17: a kernel that writes none of its arguments; expected a pointer to what it "
     "leaves"},
    {K "float *y) { other<<<1, 1>>>(y); }\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:36: a launch from the device, which a template cannot have; expected a pipeline "
     "of "
     "launch() clauses"},
    {K "float **y) { **y = 1; }\n", NULL, GPUTUNE_EUNSUPPORTED,
     "kernel.cu:1:19: 'y' is neither a value nor a plain pointer; expected TYPE or TYPE *, which a "
     "template can fill and compare"},
    {"#pragma gputune kernel(\n" K "float *y) { *y = 1; }\n", NULL, GPUTUNE_ETEMPLATE,
     "kernel.cu:1:17: unterminated 'kernel('; expected ')'"},
};

TEST(test_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *draft = NULL;
        gputune_status status = gt_draft_template(&draft, "kernel.cu", refused[i].text,
                                                  refused[i].kernel, NULL, NULL, NULL);
        assert_int_equal(status, refused[i].status);
        assert_string_equal(gt_message(), refused[i].message);
        assert_null(draft);
    }
}

/* The only kernel() chooses among several functions. */
TEST(test_begun_among_several)
{
    char *draft = draft_of("#pragma gputune kernel(b)\n__global__ void a(float *y) { *y = 1; }\n"
                           "__global__ void b(float *z) { *z = 1; }\n",
                           NULL);
    assert_non_null(strstr(draft, "args(out float z[1])"));
    free(draft);
}
