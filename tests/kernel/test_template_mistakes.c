/* Tests the complete error message for each mistake that a template may have. */
#include "mistakes.h"

static const gt_mistake mistakes[] = {
    {2, P "kernel", "a.cu:2:17: 'kernel' without '('; expected 'kernel(…)'"},
    {2, P "kernel()", "a.cu:2:24: the pragma ends here; expected the kernel function's name"},
    {2, P "kernel(1)", "a.cu:2:24: found '1'; expected the kernel function's name"},
    {2, "", "a.cu:1:1: no 'kernel'; expected #pragma gputune kernel(…)"},
    {2, P "kernel(twice) kernel(twice)",
     "a.cu:2:31: 'kernel' is given twice for 'twice'; expected it once (first on line 2)"},
    {3, P "problem(n)", "a.cu:3:26: the pragma ends here; expected '='"},
    {3, P "problem(n = -1)", "a.cu:3:29: size n is -1; expected 0 to 2^40"},
    {3, P "problem(n = 1 << 41)", "a.cu:3:29: size n is 2199023255552; expected 0 to 2^40"},
    {3, P "problem(n = m)", "a.cu:3:29: unknown name 'm'; expected a number"},
    {3, P "problem(float = 4)",
     "a.cu:3:25: 'float' is a word of the language; expected NAME = value"},
    {3, P "problem(sm_count = 4)",
     "a.cu:3:25: 'sm_count' is a device property; expected another name"},
    {3, P "problem(n = 4, type T = 3)", "a.cu:3:41: wrong kind of value for T; expected types"},
    {3, P "problem(n = 4, const K = half)",
     "a.cu:3:42: wrong kind of value for K; expected integers"},
    {4, P "args(inout float y[n], size_t m)",
     "a.cu:4:47: scalar 'm' has no value; expected '= value', or the name of a problem value"},
    {4, P "args(float y[n], size_t n)",
     "a.cu:4:28: buffer 'y' has no direction; expected in, out or inout before its type"},
    {4, P "args(inout float *y, size_t n)",
     "a.cu:4:35: pointer 'y' has no extent; expected 'in float y[n]', or '= null' if the kernel "
     "gets no buffer"},
    {4, P "args(inout VertexId y[n], size_t n)",
     "a.cu:4:28: unknown type 'VertexId'; expected a number type, a struct of this file, a "
     "problem(type …), unsigned char for a buffer's bytes, or include(\"FILE\") of the header that "
     "declares it"},
    {4, P "args(inout float y[n], cudaTextureObject_t t)",
     "a.cu:4:40: 'cudaTextureObject_t' is a texture, whose type does not show its elements; "
     "expected the buffer, as in float NAME[n], and texture(NAME) for tex1Dfetch() or tex2D()"},
    {4, P "args(inout int y[n], size_t n)",
     "a.cu:4:32: 'y' has integers but no fill; expected '= uniform(low, high)', '= index', '= "
     "zero', '= constant(value)' or another fill, or an init() kernel"},
    {4, P "args(inout float y[n][n][n][n], size_t n)",
     "a.cu:4:45: a fourth extent; expected one to three, as in x[n * c][h][w]"},
    {4, P "args(inout float BLOCK[n], size_t n)",
     "a.cu:4:34: 'BLOCK' is a tunable, which would replace the argument's name; expected another "
     "name"},
    {4, P "args(inout float y[n] = uniform(1), size_t n)",
     "a.cu:4:50: found ')'; expected ',', as in uniform(low, high)"},
    {4, P "args(inout int y[n] = 0.5 * index, size_t n)",
     "a.cu:4:39: '0.5 * index' is floating-point, but 'y' has integers; expected an integer "
     "expression"},
    {4, P "args(inout float y[n] = file(x), size_t n)",
     "a.cu:4:46: found 'x'; expected a file's name in quotes, as in file(\"a.npy\")"},
    {4, P "args(out float y[n] = file(\"x.npy\"), size_t n)",
     "a.cu:4:39: 'y' is an output, which cannot have a fill; expected in or inout"},
    {4, P "args(inout float y[n], int n)",
     "a.cu:2:17: 'twice' takes 'n' as size_t; expected int, as declared in args()"},
    {4, P "args(float y = 1, size_t n)",
     "a.cu:2:17: no out or inout buffer in args(); expected at least one, as 'out float y[n]', or "
     "'out float g.y[n]' where a struct g points to it"},
    {4, P "args(inout float y[n], float a = 1.0.0)",
     "a.cu:4:50: found '1.0.0'; expected an integer below 2^63 or a floating literal"},
    {4, P "args(const out float y[n], size_t n)",
     "a.cu:4:32: found 'float'; expected no const before an output"},
    {5, P "tune(BLOCK)", "a.cu:5:27: the pragma ends here; expected '='"},
    {5, P "tune(BLOCK = 99999999999999999999)",
     "a.cu:5:30: found '99999999999999999999'; expected an integer below 2^63 or a floating "
     "literal"},
    {5, P "tunee(BLOCK = 64)", "a.cu:5:17: unknown pragma 'tunee'; expected 'tune'"},
    {5, P "vector(BLOCK = 1, 3 : y)", "a.cu:5:32: BLOCK has the value 3; expected 1, 2, 4 or 8"},
    {5, P "vector(BLOCK = 1, 2)",
     "a.cu:5:36: the pragma ends here; expected ': x, y', the buffers that the vectors access"},
    {5, P "vector(BLOCK = 1, 2 : x)", "a.cu:5:39: 'x' is not a buffer; expected one of args()"},
    {5, P "vector(BLOCK = 1, 2 : y, y)",
     "a.cu:5:42: 'y' is given twice; expected each buffer once"},
    {5, P "cluster(BLOCK = 0)",
     "a.cu:5:33: BLOCK has the value 0; expected a number of blocks from 1 to 64"},
    {5, P "carveout(BLOCK = automatic)",
     "a.cu:5:34: BLOCK has the value automatic; expected auto, or KB"},
    {5, P "tune(gputune_x = 1)",
     "a.cu:5:22: names like 'gputune_x' are reserved; expected another"},
    {6, P "block()", "a.cu:6:23: the pragma ends here; expected a number, a name or '('"},
    {6, P "block(BLOK)", "a.cu:6:23: unknown name 'BLOK'; expected 'BLOCK'"},
    {6, P "block((BLOCK)", "a.cu:6:17: unterminated 'block('; expected ')'"},
    {6, P "block(BLOCK))", "a.cu:6:29: found ')'; expected a pragma such as kernel(NAME)"},
    {6, P "block(min(BLOCK))", "a.cu:6:26: min() with 1 value; expected 2"},
    {6, P "block(BLOCK BLOCK)", "a.cu:6:29: found 'BLOCK'; expected ',' or ')'"},
    {6, P "block(sizeof(foo))",
     "a.cu:6:30: unknown type 'foo'; expected a type, or a name whose values are types"},
    {6, P "tune(WORD = float, stack) block(sizeof(WORD))",
     "a.cu:6:56: unknown type 'WORD'; expected a type, or a name whose values are types"},
    {6, "", "a.cu:1:1: no 'block'; expected #pragma gputune block(…)"},
    {8, P "start()",
     "a.cu:8:23: the pragma ends here; expected AXIS = value, as in start(VEC = 4, BLOCK = 256)"},
    {8, P "start(BLOC = 64)", "a.cu:8:23: twice has no axis 'BLOC'; expected 'BLOCK'"},
    {8, P "start(BLOCK = 64, BLOCK = 128)",
     "a.cu:8:35: 'BLOCK' is given twice; expected each axis once"},
    {8, P "require(1 ? 2)", "a.cu:8:30: the pragma ends here; expected ':'"},
    {8, P "shared(1.0)", "a.cu:8:24: '1.0' is floating-point; expected an integer expression"},
    {8, P "work(bytes = block_x)",
     "a.cu:8:30: 'block_x' is a block's dimension; expected a tunable, a problem value or a device "
     "property here"},
    {8, P "work(bytes = n * BLOCK, flops = n)",
     "a.cu:8:30: in work(), only the bytes depend on 'BLOCK', but the flops are what is compared; "
     "expected flops that depend on it too"},
    {8, P "vector(V = 1, 2 : y) work(bytes = n * V)",
     "a.cu:8:51: work() depends on 'V', which may have another value in the plan's fallback; "
     "expected a tune or cluster axis"},
    {8, P "reference(other, block = (16, 16, 2, 2))",
     "a.cu:8:54: a fourth value; expected one to three"},
    {8, P "reference(other, blok = 3)", "a.cu:8:34: unknown setting 'blok'; expected 'block'"},
    {8, P "reference(other, rtol = 1, rtol = 2)",
     "a.cu:8:51: this is given twice; expected it once (first as '1')"},
    {8, P "check(other)",
     "a.cu:8:17: 'other' takes 2 parameters; expected 3: those of the kernel and 'unsigned long "
     "long *wrong'"},
    {8, P "clear(x)",
     "a.cu:8:23: 'x' is not written by the kernel; expected an out, inout or scratch buffer"},
    {8, P "races(y, y)", "a.cu:8:26: 'y' is given twice; expected each buffer once"},
    {8, P "scratch(float part)",
     "a.cu:8:35: the pragma ends here; expected '[' and the number of elements"},
    {8, P "scratch(float part[4])",
     "a.cu:2:17: 'twice' takes 2 parameters; expected 3, those of args() and scratch()"},
    {8, P "scratch(float y[4])",
     "a.cu:8:31: 'y' is declared twice; expected another name (first on line 4)"},
    {8, P "pass(c : float[4] = value)",
     "a.cu:2:17: the parameters of 'twice' begin with no block; expected GPUTUNE_PARAM(c)"},
    {8, P "pass(c : float[n] = value)",
     "a.cu:8:32: 'n' is a run-time size; expected a number or a compile-time problem value here"},
    {8, P "pass(c : float = value)", "a.cu:8:32: found '='; expected '['"},
    {8, P "pass(c : float[4] = values)",
     "a.cu:8:37: c has the value values; expected value, split, constant or global"},
    {8, P "define(BLOCK = 1)",
     "a.cu:8:24: 'BLOCK' is declared twice; expected another name (first on line 5)"},
    {8, P "define(A = grid_x)",
     "a.cu:8:28: 'grid_x' is a grid's dimension; expected a tunable, a problem value or a device "
     "property here"},
    {8, P "include(\"nothing.cuh\")",
     "a.cu:8:25: file 'nothing.cuh' was not found; expected one in the template's folder"},
    {8, P "include(nothing)", "a.cu:8:25: an include without a name; expected include(\"file\")"},
    {8, P "constant(c : float[4])",
     "a.cu:8:26: no __constant__ 'c'; expected '__constant__ TYPE c[…];' in this file, outside any "
     "namespace"},
    {8, "__constant__ float c;\n" P "constant(c : float[2 + 1])",
     "a.cu:9:26: 'c' has 1 element in the code, and 3 here; expected c : float[1]"},
    {8, "__constant__ float c[2][3];\n" P "constant(c : float[7])",
     "a.cu:9:26: 'c' has 6 elements in the code, and 7 here; expected c : float[6]"},
    {8, "__constant__ int c[4];\n" P "constant(c : int[4] = zero)",
     "a.cu:9:37: found '='; expected ':' and a fill, as in constant(w : float[9] : zero)"},
    {8, "__constant__ int c[4];\n" P "constant(c : int[4])",
     "a.cu:9:36: 'c' has integers but no fill; expected ': uniform(low, high)', ': index', ': "
     "zero', ': constant(value)' or another fill"},
    {8, P "tensormap(y, box = 16)",
     "a.cu:2:17: 'twice' takes 'y' as float *; expected const __grid_constant__ CUtensorMap, as "
     "declared in tensormap()"},
    {8, P "cooperative() cooperative(1)",
     "a.cu:8:31: 'cooperative' is given twice; expected it once (first on line 8)"},
    {8, "#pragma gputune",
     "a.cu:8:16: the pragma ends here; expected a pragma such as kernel(NAME)"},
    {8, "/* open", "a.cu:8:1: unterminated comment; expected '*/'"},
    {9, "template <int N> __global__ void twice(float *y, size_t n)",
     "a.cu:2:17: 'twice' is a C++ template; expected its arguments, as in twice<T, BLOCK>, each a "
     "tunable, a compile-time problem value or a constant"},
    {9, "__global__ void twice(float y, size_t n)",
     "a.cu:2:17: 'twice' takes 'y' as a value; expected a pointer, as declared in args()"},
    {9, "__global__ void twice(double *y, size_t n)",
     "a.cu:2:17: 'twice' takes 'y' as double; expected float, as declared in args()"},
    {9, "__global__ void twice(float *y, size_t n",
     "a.cu:9:22: this bracket is not closed; expected ')'"},
    {9, "__global__ void twice(float *y, double n)",
     "a.cu:2:17: 'twice' takes 'n' as double; expected size_t, as declared in args()"},
    {9, "__global__ void twice(GPUTUNE_PARAM(c) float *y, size_t n)",
     "a.cu:2:17: the parameters of 'twice' begin with GPUTUNE_PARAM(c); expected no block"},
    {9, "__global__ void twice(GPUTUNE_PARAM(c), float *y, size_t n)",
     "a.cu:2:17: the parameters of 'twice' begin with GPUTUNE_PARAM(c) and a comma; expected no "
     "block"},
    {8, P "require(0x)",
     "a.cu:8:25: found '0x'; expected an integer below 2^63 or a floating literal"},
    {8, P "default(BLOCK = half)", "a.cu:8:33: BLOCK has no value 'half'; expected one of 64, 128"},
};

TEST(test_mistakes)
{
    CHECK_MISTAKES(plain, mistakes);
}

/* Endless nesting is refused before the stack overflows. */
TEST(test_endless_nesting)
{
    enum { DEPTH = 100000 };
    static const char *const openings[] = {"(", "-(", "min(1,", "1?", "!", "sizeof("};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0}, line = {0};
        gt_text_append(&line, P "require(");
        for (int d = 0; d < DEPTH; d++) {
            gt_text_append(&line, openings[i]);
        }
        for (int d = 0; d < DEPTH; d++) {
            gt_text_append(&line, ")");
        }
        replace_line(&text, plain, 8, gt_text_string(&line));
        gt_template *template = NULL;
        assert_int_equal(
            gt_template_parse(&template, "a.cu", gt_text_string(&text), NULL, NULL, NULL),
            GPUTUNE_ETEMPLATE);
    }
}

TEST(test_cut_short)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    replace_line(&text, plain, 8, P "reference(other, rtol = 1e-6) /* x */ define(A = \"b\", C)");
    for (size_t length = 0; length < text.length; length++) {
        gt_template *template = NULL;
        GT_FREED char *cut = strndup(gt_text_string(&text), length);
        assert_non_null(cut);
        if (gt_template_parse(&template, "a.cu", cut, NULL, NULL, NULL) == GPUTUNE_OK) {
            gt_template_free(template);
        }
    }
}

/* args() must list the buffers in the order of the kernel's parameters. */
TEST(test_outputs_after_const)
{
#define OF(args, references)                                                                       \
    P "kernel(k) problem(n = 4) " args "\n" P "block(32) grid(1)" references                       \
      "\n__global__ void k(float *y, const float *x, size_t n) {}\n"                               \
      "__global__ void r(const float *y, const float *x, size_t n) {}\n"
    expect_mistake("a.cu", OF("args(in float x[n], out float y[n], size_t n)", ""),
                   "a.cu:1:17: 'k' takes 'x' as a pointer to const, but args() has 'y' there, "
                   "which is written; expected "
                   "a pointer to non-const, and args() in the order of the kernel's parameters");
    expect_mistake("a.cu", OF("args(out float y[n], in float x[n], size_t n)", " reference(r)"),
                   "a.cu:2:35: 'r' takes 'y' as a pointer to const, but args() has 'y' there, "
                   "which is written; expected "
                   "a pointer to non-const, and args() in the order of the kernel's parameters");
#undef OF
}
