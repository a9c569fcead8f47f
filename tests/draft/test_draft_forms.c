/* First templates from kernels in the many forms that people write: each gets clauses that make a
 * template. */
#include "draft_support.h"

static const gt_drafted drafts[] = {
    {"arrow", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(inout item y[n] = uniform(0, 99), in item x[n] = uniform(0, 99), int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "reference(self)\n"},
    {"block_argument", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "problem(block_size = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n, int block_size, int num_threads = 1)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, block_size))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"bounds", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "require(BLOCK <= 128) // __launch_bounds__\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"bounds_generic", "k",
     "kernel(k<BLOCK>)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"bounds_macro", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(THREADS = 64, 128, 256, 512, 1024)\n"
     "default(THREADS = 64)\n"
     "block(THREADS)\n"
     "grid(ceil_div(n, THREADS))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"changed_in_place", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(inout int y[n] = zero, in int x[n] = uniform(0, 99), int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "work(bytes = 12 * n)\n"
     "reference(self)\n"},
    {"characters", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out unsigned char y[n], in signed char x[n] = uniform(0, 99), in bool on[n] = "
     "uniform(0, 1), char c = 1, bool all = 1, out __half h[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 5 * n)\n"
     "reference(self)\n"},
    {"commas", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float y[n], in float x[n], unsigned n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "work(bytes = 12 * n)\n"
     "reference(self)\n"},
    {"counted", "k",
     "kernel(k)\n"
     "problem(size_x = 1 << 20)\n"
     "args(inout int count[1] = zero, out float y[size_x], in float x[size_x], in int n[1] = "
     "uniform(0, 99))\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(size_x, BLOCK))\n"
     "require(size_x % BLOCK == 0)\n"
     "reference(self)\n"},
    {"deep", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "problem(rows = 1 << 20)\n"
     "args(out float y[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(rows)\n"
     "work(bytes = 4 * n)\n"
     "reference(self)\n"},
    {"divisions", "k",
     "kernel(k)\n"
     "problem(n = 64)\n"
     "problem(c = 32)\n"
     "problem(h = 16)\n"
     "problem(w = 8)\n"
     "args(out float y[n * c * h * w], in float x[n * c * h * w + c * h * w - 1], int n, int c, "
     "int h, int w)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n * c * h * w, BLOCK))\n"
     "work(bytes = 8 * n * c * h * w + 4 * c * h * w)\n"
     "reference(self)\n"},
    {"enumerators", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "require(BLOCK <= 128) // __launch_bounds__\n"
     "grid(ceil_div(n, 512))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"generic", "k",
     "kernel(k<T, BLOCK, FAST>)\n"
     "problem(n = 1 << 20)\n"
     "problem(type T = float, double)\n"
     "problem(const FAST = 1)\n"
     "args(out T y[n], in T x[n], T a = 0.5, int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 128)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "reference(self)\n"},
    {"host_mixed", "k",
     "kernel(a::b::k)\n"
     "problem(n = 100)\n"
     "args(out float y[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 4 * n)\n"
     "reference(self)\n"},
    {"lambda", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "problem(rows = 1 << 20)\n"
     "args(out float y[n + 1], in float x[rows], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(rows)\n"
     "require(n % 2 == 0)\n"
     "reference(self)\n"},
    {"mul24", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"negated", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out double y[n], in double x[n], long n, bool twice = 1)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 16 * n)\n"
     "reference(self)\n"},
    {"own_block", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 4 * n)\n"
     "reference(self)\n"},
    {"planes", "k",
     "kernel(k)\n"
     "problem(width = 128)\n"
     "problem(height = 128)\n"
     "problem(depth = 128)\n"
     "problem(pitch = 128)\n"
     "args(out float y[height * depth * pitch - pitch + width], int width, int height, int depth, "
     "int pitch)\n"
     "tune(BLOCK_X = 8, 16, 32, 64, 128)\n"
     "default(BLOCK_X = 32)\n"
     "tune(BLOCK_Y = 1, 2, 4, 8, 16)\n"
     "default(BLOCK_Y = 8)\n"
     "block(BLOCK_X, BLOCK_Y)\n"
     "require(BLOCK_X * BLOCK_Y >= 32)\n"
     "grid(ceil_div(width, BLOCK_X), ceil_div(height, BLOCK_Y), depth)\n"
     "work(bytes = 4 * height * depth * pitch - 4 * pitch + 4 * width)\n"
     "reference(self)\n"},
    {"pointer_of_pointer", "k",
     "kernel(k)\n"
     "problem(rows = 1 << 11)\n"
     "problem(cols = 1 << 11)\n"
     "args(out float y[rows][cols], in float x[rows][cols], int rows, int cols)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(rows)\n"
     "require(cols % 4 == 0)\n"
     "work(bytes = 8 * rows * cols)\n"
     "reference(self)\n"},
    {"read_size", "k",
     "kernel(k)\n"
     "problem(rows = 1 << 11)\n"
     "problem(columns = 1 << 11)\n"
     "args(out float y[rows * columns], in float x[rows * columns], int rows, int columns)\n"
     "tune(BLOCK_X = 8, 16, 32, 64, 128)\n"
     "default(BLOCK_X = 32)\n"
     "tune(BLOCK_Y = 1, 2, 4, 8, 16)\n"
     "default(BLOCK_Y = 8)\n"
     "block(BLOCK_X, BLOCK_Y)\n"
     "require(BLOCK_X * BLOCK_Y >= 32)\n"
     "grid(ceil_div(columns, BLOCK_X), ceil_div(rows + 1, BLOCK_Y))\n"
     "work(bytes = 8 * rows * columns)\n"
     "reference(self)\n"},
    {"rectangle", "k",
     "kernel(k)\n"
     "problem(m = 1 << 11)\n"
     "problem(n = 1 << 11)\n"
     "args(out float o[n][m], in float a[m][n], int m, int n)\n"
     "tune(BX = 8, 16, 32)\n"
     "default(BX = 32)\n"
     "tune(BY = 8, 16, 32)\n"
     "default(BY = 8)\n"
     "block(BX, BY)\n"
     "grid(ceil_div(n, BX), ceil_div(m, BX), 1)\n"
     "require(BX % BY == 0)\n"
     "work(bytes = 8 * m * n)\n"
     "reference(self)\n"},
    {"shifts", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "block(256)\n"
     "grid(ceil_div(n, 512))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"sums_by_key", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float sums[n], in float x[n], in int bin[n] = uniform(0, n - 1), int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "reference(self)\n"},
    {"tile_4d", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float out[n], in float in[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "shared(BLOCK * sizeof(float))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"trusted", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(out float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(n, BLOCK))\n"
     "work(bytes = 8 * n)\n"
     "reference(self)\n"},
    {"warp_rows", "k",
     "kernel(k)\n"
     "problem(rows = 1 << 11)\n"
     "problem(cols = 1 << 11)\n"
     "args(out float y[rows], in float x[rows][cols], int rows, int cols)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(ceil_div(32 * rows, BLOCK))\n"
     "work(bytes = 4 * rows * cols + 4 * rows)\n"
     "reference(self)\n"},
    {"whole_grid", "k",
     "kernel(k)\n"
     "problem(n = 1 << 20)\n"
     "args(inout float y[n], in float x[n], int n)\n"
     "tune(BLOCK = 64, 128, 256, 512, 1024)\n"
     "default(BLOCK = 256)\n"
     "block(BLOCK)\n"
     "grid(min(max_blocks, ceil_div(n, BLOCK)))\n"
     "cooperative()\n"
     "work(bytes = 12 * n)\n"},
};

TEST(every_form_becomes_a_template)
{
    for (size_t i = 0; i < sizeof drafts / sizeof *drafts; i++) {
        check_draft(&drafts[i]);
    }
}

TEST(long_names_are_refused)
{
    for (size_t i = 0; i < 2; i++) {
        char name[201] = {0}, text[400], *draft = NULL;
        memset(name, 'a', 200);
        (void)snprintf(text, sizeof text, "__global__ void k(float *y, ");
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       i ? "%s x) { *y = x; }\n" : "float %s) { *y = 1; }\n", name);
        assert_int_equal(gt_draft_template(&draft, "kernel.cu", text, NULL, NULL, NULL, NULL),
                         GPUTUNE_ETEMPLATE);
        assert_string_equal(gt_message(),
                            "kernel.cu:1:19: a parameter's type or name has more than "
                            "127 characters; expected fewer");
    }
}
