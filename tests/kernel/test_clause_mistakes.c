/* Tests the messages for mistakes in init, reference, expect, check, fills, launch, constant,
 * tensormap and texture. test_compiler_options.c tests options(). */
#include "mistakes.h"

static const char *const pipeline[] = {
    "// two steps",
    P "kernel(both)",
    P "problem(n = 1024)",
    P "args(inout float y[n], size_t n)",
    P "scratch(float part[32])",
    P "tune(BLOCK = 64, 128)",
    P "launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (part, y, n))",
    P "launch(second, block = 32, grid = 1, args = (y, part))",
    "",
    "__global__ void first(float *part, const float *y, size_t n) {}",
    "__global__ void second(float *y, const float *part) {}",
    NULL,
};

static const char *const map[] = {
    "// a tensor map",
    P "kernel(moved)",
    P "problem(n = 1024)",
    P "args(out float y[n][n], in float x[n][n], size_t n)",
    P "tune(BLOCK = 64, 128)",
    P "block(BLOCK) grid(1)",
    P "tensormap(x, box = (8, BLOCK))",
    "",
    "__global__ void moved(float *y, const __grid_constant__ CUtensorMap x, size_t n) {}",
    NULL,
};

static const char *const image[] = {
    "// a texture",
    P "kernel(scale)",
    P "problem(n = 1024)",
    P "args(out float y[n], in float x[n][n], in uchar4 p[n][n] = zero, in double d[n], size_t n)",
    P "tune(BLOCK = 64, 128)",
    P "block(BLOCK) grid(1)",
    P "texture(x, filter = linear)",
    "",
    "__global__ void scale(float *y, cudaTextureObject_t x, const uchar4 *p, const double *d, "
    "size_t n) {}",
    NULL,
};

static const gt_mistake plain_mistakes[] = {
    {8, P "prove()",
     "a.cu:8:23: the pragma ends here; expected a scalar's name, as in prove(a = 0, -1)"},
    {4, P "args(inout float y[n], size_t n, float a = 2) prove(a = 1)",
     "a.cu:4:69: prove() needs a reference() or check(); expected one of them"},
    {8, P "prove(y = 1)", "a.cu:8:23: no scalar 'y'; expected one of args()"},
    {8, P "prove(n = 1)",
     "a.cu:8:23: 'n' gets its value from the problem value of that name; expected another scalar"},
    {4, P "args(out float y[n], in float x[n], size_t n) in_place(x : y)",
     "a.cu:4:72: 'x' is not an 'out' buffer of args(); expected in_place(OUT : IN)"},
    {4, P "args(out float y[n], in float x[n], size_t n) in_place(y, x)",
     "a.cu:4:73: found ','; expected ':', as in in_place(y : x)"},
    {4, P "args(out float y[n], in float x[n], size_t n) in_place(y : n)",
     "a.cu:4:76: 'n' is not an 'in' buffer of args(); expected in_place(OUT : IN)"},
    {4, P "args(out float y[n], in float x[n], size_t n) in_place(y : x, y : x)",
     "a.cu:4:79: 'y' is given twice; expected each buffer once"},
    {4, P "args(out float y[n], in float x[n], size_t n) in_place(y : x) clear(y)",
     "a.cu:4:72: clear() would zero 'y' before each launch, and with it the input in the same "
     "buffer; expected an output that is not cleared"},
    {8, P "init(other)",
     "a.cu:8:17: 'other' takes 2 parameters; expected 3: those of args() and 'unsigned long long "
     "seed'"},
    {8, P "init(other, rtol = 1)", "a.cu:8:29: unknown setting 'rtol'; expected 'block'"},
    {8, P "init(other, 256)", "a.cu:8:29: found '256'; expected a setting such as block = 256"},
    {8, P "init(twice)",
     "a.cu:8:17: 'twice' is the tuned kernel, which cannot judge itself; expected another kernel"},
    {8, P "reference()",
     "a.cu:8:27: the pragma ends here; expected a __global__ function's name, as in "
     "reference(KERNEL, block = 256, grid = ceil_div(n, 256), rtol = 1e-5)"},
    {8, P "reference(other, block 256)",
     "a.cu:8:40: found '256'; expected '=', as in reference(KERNEL, block = 256, grid = "
     "ceil_div(n, 256), rtol = 1e-5)"},
    {8, P "reference(other, grid = ceil_div(n, block_x))",
     "a.cu:8:53: 'block_x' is a block's dimension; expected a problem value or a device property "
     "here"},
    {8, P "reference(self, VEC = 1)", "a.cu:8:33: twice has no axis 'VEC'; expected one of: BLOCK"},
    {8, P "reference(self, BLOCK)",
     "a.cu:8:38: the pragma ends here; expected '=', as in reference(self, AXIS = value, rtol = "
     "1e-5)"},
    {8, P "reference(self, rtol = BLOCK)",
     "a.cu:8:40: 'BLOCK' is a tunable; expected a problem value or a device property here"},
    {8, P "reference(twice)",
     "a.cu:8:17: 'twice' is the tuned kernel, which cannot judge itself; expected another kernel, "
     "or reference(self)"},
    {8, P "reference(self) check(other)",
     "a.cu:8:17: reference(self) and check() cannot be combined; expected one of them"},
    {8, P "expect()",
     "a.cu:8:24: the pragma ends here; expected an output's name, as in y = file(\"y.npy\")"},
    {8, P "expect(y)",
     "a.cu:8:25: the pragma ends here; expected '=', as in expect(y = file(\"y.npy\"), rtol = "
     "1e-5)"},
    {8, P "expect(y = \"y.npy\")",
     "a.cu:8:28: found '\"y.npy\"'; expected 'file', as in file(\"a.npy\")"},
    {8, P "expect(x = file(\"y.npy\"))",
     "a.cu:8:24: no output 'x'; expected an out or inout buffer, rtol, atol or stol"},
    {8, P "expect(y = file(\"y.npy\"), y = file(\"z.npy\"))",
     "a.cu:8:43: 'y' is given twice; expected each output once"},
    {8, P "expect(rtol = 1)",
     "a.cu:8:17: 'y' has no expected results; expected 'y = file(\"name.npy\")' too, because every "
     "output is compared"},
    {8, P "expect(y = file(\"a\\\\b.npy\"))",
     "a.cu:8:33: found '\"a\\\\b.npy\"'; expected a file's name in quotes, as in file(\"a.npy\")"},
    {8, P "expect(y = file(\"y.npy\")) reference(other)",
     "a.cu:8:17: expect() cannot be combined with reference() or check(); expected one of them, "
     "because each defines the correct result"},
    {4, P "args(inout float y[n] = file \"a.npy\", size_t n)",
     "a.cu:4:46: found '\"a.npy\"'; expected '(', as in file(\"a.npy\")"},
    {4, P "args(inout float y[n], size_t n = file(\"a.npy\"))",
     "a.cu:4:47: scalar 'n' gets its value from the problem value of that name; expected only "
     "'size_t n'"},
    {4, P "args(inout float y[n] = sin(index), size_t n)",
     "a.cu:4:41: unknown function 'sin'; expected ceil_div, round_up, min, max, pow, sqrt, log2 or "
     "sizeof"},
    {4, P "args(inout float y[n] = uniform(0, index), size_t n)",
     "a.cu:4:52: unknown name 'index'; expected a problem value or a device property"},
    {4, P "args(inout float y[n] = constant(), size_t n)",
     "a.cu:4:50: found ')'; expected a number, a name or '('"},
    {4, P "args(inout float y[n] = permutation(3), size_t n)",
     "a.cu:4:52: found '('; expected only the word, as in = permutation"},
    {8, P "constant(c)",
     "a.cu:8:27: the pragma ends here; expected ':', as in constant(weights : float[9])"},
    {8,
     "struct cell { int n[4]; };\n__device__ cell table[4];\n" P "init(make)\n"
     "__global__ void make(float *y, size_t n, unsigned long long seed)\n"
     "{ int i = threadIdx.x; table[i].n[0] += 1; }",
     "a.cu:10:17: 'make' sets the __device__ variable 'table', but the kernel and its reference "
     "have separate copies of it; expected constant(table : TYPE[COUNT]), or a buffer in args()"},
    {8, P "constant()",
     "a.cu:8:26: the pragma ends here; expected a __constant__ symbol's name, as in "
     "constant(weights : float[9])"},
    {8, "__constant__ float c[4];\n" P "constant(c : int[4] : zero)",
     "a.cu:9:26: 'c' has elements of float in the code, and of int here; expected c : float[…]"},
    {8, "__constant__ float c[4];\n" P "constant(c : float[4] : random)",
     "a.cu:9:41: found 'random'; expected uniform(low, high), sorted(low, high), permutation, "
     "prefix(total), index, zero, constant(value), file(\"name.npy\"), or an expression of index, "
     "as in constant(weights : float[9])"},
    {8, "__constant__ float c[4];\n" P "constant(c : float[4]) constant(c : float[4])",
     "a.cu:9:49: 'c' is declared twice; expected it once (first on line 9)"},
};

static const gt_mistake pipeline_mistakes[] = {
    {2, "",
     "a.cu:1:1: no 'kernel'; expected #pragma gputune kernel(NAME), a name for the whole pipeline"},
    {8, P "launch()",
     "a.cu:8:24: the pragma ends here; expected a __global__ function's name, as in launch(KERNEL, "
     "block = 256, grid = ceil_div(n, 256), args = (y, x, n))"},
    {8, P "launch(second, grid = 1)",
     "a.cu:8:17: launch(second) without block; expected launch(second, block = 256, grid = "
     "ceil_div(n, 256))"},
    {8, P "launch(second, block = 32 grid = 1)",
     "a.cu:8:43: found 'grid'; expected ',' or ')', as in launch(KERNEL, block = 256, grid = "
     "ceil_div(n, 256), args = (y, x, n))"},
    {8, P "launch(second, block = 32, grid = 1, args = y)",
     "a.cu:8:61: found 'y'; expected '(', as in launch(KERNEL, block = 256, grid = ceil_div(n, "
     "256), args = (y, x, n))"},
    {8, P "launch(second, block = 32, grid = 1, args = (y,))",
     "a.cu:8:64: found ')'; expected the name of an argument or scratch, or an expression, as in "
     "launch(KERNEL, block = 256, grid = ceil_div(n, 256), args = (y, x, n))"},
    {8, P "launch(second, block = 32, grid = 1)",
     "a.cu:8:17: 'second' takes 2 parameters; expected 3, those of args = (…), or without it those "
     "of args(), scratch() and tensormap()"},
    {8, P "launch(second, block = 32, grid = 1, args = (y, part)) block(32)",
     "a.cu:8:72: 'block' cannot be combined with launch(); expected it in each launch(), as in "
     "launch(KERNEL, block = 256, …)"},
    {8, P "launch(second, block = 32, grid = 1, args = (y, part)) pass(c : float[4] = value)",
     "a.cu:8:72: 'pass' cannot be combined with launch(); expected constant(NAME : TYPE[COUNT]), "
     "or a buffer in args()"},
    {8, P "launch(second<4>, block = 32, grid = 1, args = (y, part))",
     "a.cu:8:17: 'second' is not a C++ template; expected it without template arguments"},
    {7, P "launch(first, block = BLOCK, grid = 1, args = (part, y, n), programmatic = 1)",
     "a.cu:7:77: the first launch() cannot be programmatic, because no launch precedes it; "
     "expected 'programmatic' in a later one"},
};

static const gt_mistake map_mistakes[] = {
    {7, P "tensormap()",
     "a.cu:7:27: the pragma ends here; expected a buffer's name, as in tensormap(x, box = (64, "
     "64), swizzle = 128)"},
    {7, P "tensormap(x)",
     "a.cu:7:27: the tensor map has no box; expected box = (…) with an extent "
     "for each dimension"},
    {7, P "tensormap(z, box = (8, 8))", "a.cu:7:27: 'z' is not a buffer; expected one of args()"},
    {7, P "tensormap(x, 8, 8)", "a.cu:7:30: found '8'; expected a setting such as box = (64, 64)"},
    {7, P "tensormap(x box = (8, 8))",
     "a.cu:7:29: found 'box'; expected ',' or ')', as in tensormap(x, box = (64, 64), swizzle = "
     "128)"},
    {7, P "tensormap(x, box = (1, 1, 1, 1, 1, 1))",
     "a.cu:7:52: a sixth value; expected one to five"},
    {7, P "tensormap(x, box = (8, 8), interleave = 8)",
     "a.cu:7:57: found '8'; expected 0, 16 or 32, as in tensormap(x, box = (64, 64), swizzle = "
     "128)"},
    {7, P "tensormap(x, box = (8, 8), l2 = 100)",
     "a.cu:7:49: found '100'; expected 0, 64, 128 or 256, as in tensormap(x, box = (64, 64), "
     "swizzle = 128)"},
    {7, P "tensormap(x, box = (8, 8), fill = one)",
     "a.cu:7:51: found 'one'; expected fill = zero or fill = nan, as in tensormap(x, box = (64, "
     "64), swizzle = 128)"},
    {7, P "tensormap(x, box = (8, 8), sizes = n)",
     "a.cu:7:27: the box has 2 dimensions, but the tensor 1; expected equal numbers"},
    {7, P "tensormap(x, box = (8, 8), strides = (n, n))",
     "a.cu:7:27: 2 strides for 2 dimensions; expected one for each but the last"},
    {7, P "tensormap(x, box = (8, 8)) tensormap(x, box = (8, 8))",
     "a.cu:7:54: 'x' is given twice; expected each buffer once, or NAME : x for one more map"},
    {7, P "tensormap(m : x, box = (8, 8))",
     "a.cu:2:17: 'moved' takes 3 parameters; expected 4, those of args(), scratch() and "
     "tensormap()"},
};

#define FORM ", as in texture(image, filter = linear, address = border)"
static const gt_mistake image_mistakes[] = {
    {7, P "texture()", "a.cu:7:25: the pragma ends here; expected a buffer's name" FORM},
    {7, P "texture(y)",
     "a.cu:7:25: 'y' is not a buffer that is only read; expected an 'in' buffer of args(), or the "
     "output as a pointer"},
    {7, P "texture(x, filter = cubic)", "a.cu:7:37: found 'cubic'; expected point or linear" FORM},
    {7, P "texture(x, address = repeat)",
     "a.cu:7:38: found 'repeat'; expected clamp, border, wrap or mirror" FORM},
    {7, P "texture(x, read = float)",
     "a.cu:7:35: found 'float'; expected element or normalized" FORM},
    {7, P "texture(x) texture(x)",
     "a.cu:7:36: 'x' is given twice; expected one texture() or tensormap() of it"},
    {7, P "texture(x, address = wrap)",
     "a.cu:7:25: wrap and mirror need coordinates from 0 to 1; expected coordinates = normalized "
     "with them"},
    {7, P "texture(d, filter = linear)",
     "a.cu:7:25: 'd' has one extent, and tex1Dfetch() reads it without settings; expected "
     "d[HEIGHT][WIDTH] in args() for tex2D(), with its settings, or memory = array for tex1D()"},
    {7, P "texture(x) texture(d)",
     "a.cu:2:17: 'scale' takes 'd' as double *; expected cudaTextureObject_t, as declared in "
     "texture()"},
    {7, "", "a.cu:2:17: 'scale' takes 'x' as a texture; expected texture(x) beside args()"},
    {4,
     P "args(out float y[n], in float x[n][n][n], in uchar4 p[n][n] = zero, in double d[n], size_t "
       "n)",
     "a.cu:7:25: 'x' has three extents; expected memory = array, for tex3D(), or memory = layered, "
     "for tex2DLayered()"},
    {7, P "texture(x, memory = surface)",
     "a.cu:7:37: found 'surface'; expected buffer, array or layered" FORM},
    {7, P "texture(d, memory = layered)",
     "a.cu:7:25: 'd' has one extent; expected d[LAYERS][WIDTH] in args() for tex1DLayered(), or "
     "d[LAYERS][HEIGHT][WIDTH] for tex2DLayered()"},
};

TEST(test_one_kernel)
{
    CHECK_MISTAKES(plain, plain_mistakes);
}

TEST(test_pipeline)
{
    CHECK_MISTAKES(pipeline, pipeline_mistakes);
}

TEST(test_tensor_map)
{
    CHECK_MISTAKES(map, map_mistakes);
}

TEST(test_texture)
{
    CHECK_MISTAKES(image, image_mistakes);
}
