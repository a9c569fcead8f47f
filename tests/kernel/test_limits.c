/* Tests that counts and values above a limit are refused, with one line that names the position. */
#include "mistakes.h"

static const char *const lines[] = {
    "// doubles y",
    P "kernel(twice)",
    P "problem(n = 1024)",
    P "args(inout float y[n], size_t n)",
    P "tune(BLOCK = 64, 128)",
    P "block(BLOCK) grid(ceil_div(n, BLOCK))",
    "",
    "__global__ void twice(float *y, size_t n) {}",
};

enum { LINES = sizeof lines / sizeof *lines };

/* The text that replaces a line of a template: `begin`, `count` times `item`, and `end`. A '@' in
 * an item is replaced by the item's number. */
typedef struct gt_excess {
    int line;
    const char *begin, *item;
    int count;
    const char *end, *message;
    const char *kernel; /* text that replaces the kernel, or NULL */
} gt_excess;

static gputune_status bind(const gt_template *template)
{
    const gt_device device = device_of("sm_90");
    gt_workload *workload = calloc(1, sizeof *workload);
    gt_problem problem;
    assert_non_null(workload);
    ASSERT_OK(gt_problem_bind(&problem, template, GPUTUNE_NO_SIZES));
    gputune_status status = gt_workload_bind(workload, template, &problem, &device, 0, NULL, 0);
    free(workload);
    if (status == GPUTUNE_OK) {
        const gt_config standard = gt_config_default(template);
        gt_launch launch;
        status = gt_launch_bind(&launch, template, &problem, &standard, &device);
    }
    return status;
}

#define NO_LAUNCH          "twice BLOCK=64 cannot be launched at these sizes: "
#define LAUNCH             P "launch(twice, block = 32, grid = 1, args = (y, n))\n"
#define KERNEL(type, more) "__global__ void twice(" type " *y, size_t n" more ") {}"
#define S_KERNEL           KERNEL("float", ", S s")
#define WITH_S             "args(inout float y[n], size_t n, S s = "

static const gt_excess excesses[] = {
    {7, "", P "tune(A@ = 1, 2)\n", 32, "", "a.cu:38:22: more than 32 tunables; expected fewer",
     NULL},
    {7, P "tune(A = 0", ", 1@", 300, ")", "a.cu:7:1065: more than 192 values; expected fewer",
     NULL},
    {7, "", P "problem(m@ = 4)\n", 16, "",
     "a.cu:22:25: more than 16 problem values; expected fewer", NULL},
    {7, "", P "pass(p@ : float[4] = value)\n", 9, "",
     "a.cu:15:22: more than 8 blocks; expected fewer", NULL},
    {7, "", P "scratch(float s@[n])\n", 9, "",
     "a.cu:15:17: more than 8 scratch buffers; expected fewer", NULL},
    {7, "", P "scratch(float s[n])\n", 2, "",
     "a.cu:8:31: 's' is declared twice; expected another name (first on line 7)", NULL},
    {7, "", P "define(D@ = 1)\n", 65, "", "a.cu:71:17: more than 64 macros; expected fewer", NULL},
    {7, "", P "define(D = 1)\n", 2, "", "a.cu:8:24: 'D' is declared twice; expected another name",
     NULL},
    {7, "", P "options(\"-DX@\")\n", 65, "",
     "a.cu:71:25: more than 64 compiler options; expected fewer", NULL},
    {7, "", P "require(n > @)\n", 65, "", "a.cu:71:17: more than 64 require(); expected fewer",
     NULL},
    {7, "", P "require(n > @)\n", 513, "", "a.cu:513:17: more than 512 pragmas; expected fewer",
     NULL},
    {7, P "require(1", " + 1", 2100, ")",
     "a.cu:7:4123: the expression is too long or nested too deep; expected a simpler one", NULL},
    {7, P "require(0", " ? 1 : 0", 70, ")",
     "a.cu:7:525: the expression is nested too deep; expected at most 64 levels", NULL},
    {4, P "args(inout float y[n]", ", float a@ = 1", 64, ", size_t n)",
     "a.cu:4:17: more than 55 arguments; expected fewer", NULL},
    {2, P "kernel(", "very_long_", 20, ")",
     "a.cu:2:24: a name of 200 characters; expected at most 127", NULL},
    {2, P "kernel(a", "::name_of_a_space", 9, ")",
     "a.cu:2:24: the name is too long; expected fewer than 128 characters", NULL},
    {2, P "kernel(twice<1>)\nnamespace a", "::name_of_a_space", 9,
     " { template <int A> " KERNEL("float", "") " }",
     "a.cu:2:17: the name with its namespaces is too long; expected fewer than 128 characters", ""},
    {6, P "launch(twice, block = 32, grid = 1, args = (y", ", n", 65, "))",
     "a.cu:6:253: more than 64 arguments; expected fewer", NULL},
    {6, "", LAUNCH, 9, "", "a.cu:14:17: more than 8 launch(); expected fewer", NULL},
    {7, "", P "tensormap(m@ : y, box = (8))\n", 9, "",
     "a.cu:15:17: more than 8 tensor maps; expected fewer",
     "__global__ void twice(CUtensorMap y, size_t n) {}"},
    {7, "", "// a comment of 32 characters ...\n", 260000, "",
     "a.cu:1:1: more than 8388608 bytes; expected less", NULL},
    {4, "struct S {", " float a@;", 65, " };\n" P WITH_S "1)",
     "a.cu:4:712: a 65th member in struct 'S', which an argument uses; expected at most 64",
     S_KERNEL},
    {4, "struct S0 { float a; };\n", "struct S1@ { S0 a; };\n", 18,
     "struct S { S0 a; S10 b; S11 c; S12 d; S13 e; S14 f; S15 g; S16 h; S17 i; S18 j; S19 k; S110 "
     "l; S111 m; S112 n; S113 o; S114 p; S115 q; };\n" P WITH_S "{1})",
     "a.cu:1:1: more than 16 structs in arguments; expected fewer", S_KERNEL},
    {4, "struct S { int a; };\n" P WITH_S "{.a", ".b", 80, " = 1})",
     "a.cu:5:58: the member's path is too long; expected '.member = …'", S_KERNEL},
    {4, "struct S { int a; };\n" P WITH_S, "{", 120, "1)",
     "a.cu:5:119: a list that is nested too deeply; expected fewer braces", S_KERNEL},
    {4, "struct S { int a[70]; };\n" P WITH_S "{{1", ", 1", 69, "}})",
     "a.cu:5:248: more than 64 items; expected fewer", S_KERNEL},
    {7, "#include \"", "long/", 1000, "\"",
     "a.cu:7:10: the name of an include has 5000 characters; expected fewer than 512", NULL},
};

static const gt_mistake mistakes[] = {
    {4, P "args(inout float n[n])",
     "a.cu:4:34: buffer 'n' has the name of a problem value; expected another name"},
    {4, P "args(inout float y[n - 1024], size_t n)",
     "n - 1024 = 0 makes y empty; a buffer needs at least one element (write y[max(1, n - 1024)] "
     "if "
     "n - 1024 may be 0)"},
    {7, P "tune(__A = 1, 2)", "a.cu:7:22: names like '__A' are reserved; expected another"},
    {7, P "tune(GPUTUNE_A = 1, 2)",
     "a.cu:7:22: names like 'GPUTUNE_A' are reserved; expected another"},
    {7, P "tune(A = half, half)", "a.cu:7:32: value half is given twice; expected each once"},
    {7, P "tune(A = sum max)",
     "a.cu:7:26: 'sum max' is neither a word nor a number type; expected a comma between words"},
    {7, P "block(1, 1, 1, 1)",
     "a.cu:7:17: 'block' is given twice; expected it once (first on line 6)"},
    {7, P "vector(V = a : y)", "a.cu:7:28: V has the value a; expected 1, 2, 4 or 8"},
    {7, P "cluster(C = 65, 1)",
     "a.cu:7:29: C has the value 65; expected a number of blocks from 1 to 64"},
    {7, P "cluster(C = a, 1)",
     "a.cu:7:29: C has the value a; expected a number of blocks from 1 to 64"},
    {7, P "l2_persist(L = a : y)", "a.cu:7:32: L has the value a; expected per cent from 0 to 100"},
    {7, P "carveout(L = a)", "a.cu:7:30: L has the value a; expected auto, or KB"},
    {7, P "sizeof(n)", "a.cu:7:17: unknown pragma 'sizeof'; expected one such as tune or require"},
    {7, P "options(3 \"-lineinfo\")",
     "a.cu:7:25: found '3'; expected an option such as \"--use_fast_math\", or CONDITION ? "
     "\"--option\" : \"\""},
    {7, P "scratch(flaot s[n])", "a.cu:7:25: unknown type 'flaot'; expected 'float'"},
    {7, P "scratch(float s[n] = one)",
     "a.cu:7:38: found 'one'; expected zero, the only fill of scratch"},
    {7, P "include(\"\")", "a.cu:7:25: an include without a name; expected include(\"file\")"},
    {7, P "maxreg(300)", NO_LAUNCH "maxreg is outside 0 (no limit) to 255"},
    {7, P "maxreg(0 - 1)", NO_LAUNCH "maxreg is outside 0 (no limit) to 255"},
    {7, P "maxreg(1 / (cc - cc))", NO_LAUNCH "an expression divides by zero or overflows"},
    {7, P "launch_bounds(1 / (cc - cc))", NO_LAUNCH "an expression divides by zero or overflows"},
    {7, P "shared(1 / (n - 1024))", NO_LAUNCH "an expression divides by zero or overflows"},
    {7, P "shared(1 << 40)", NO_LAUNCH "shared memory exceeds 232448 bytes per block"},
    {7, P "cooperative(1 / (n - 1024))",
     "a.cu:7:34: 'n' is a run-time size; expected a tunable, a compile-time problem value or a "
     "device property here"},
    {6, P "block(BLOCK) grid(1 / (n - 1024))",
     NO_LAUNCH "an expression divides by zero or overflows"},
    {6, P "block(BLOCK) grid(0)", NO_LAUNCH "a grid dimension is below 1"},
    {6, P "block(BLOCK, 64) grid(1)", NO_LAUNCH "block exceeds 1024 threads"},
    {7, P "reference(other)\n__global__ void other(GPUTUNE_PARAM(p) float *y, size_t n) {}",
     "a.cu:7:17: 'other' begins its parameters with GPUTUNE_PARAM; expected a plain const pointer "
     "to the block"},
    {7, P "reference(other)\n__global__ void other(void) {}",
     "a.cu:7:17: 'other' takes 0 parameters; expected 2, those of args(), or one more named "
     "'scale'"},
    {7, P "reference(other)\n__global__ void other(float *y, size_t n, double *sum) {}",
     "a.cu:7:17: 'other' takes 3 parameters; expected 2, those of args(), or one more named "
     "'scale'"},
    {7, P "reference(other)\n__global__ void other(float *y, double *n) {}",
     "a.cu:7:17: 'other' takes 'n' as a pointer; expected a value, as declared in args()"},
    {7, P "reference(other)\n__global__ void other(float2 *y, size_t n) {}",
     "a.cu:7:17: 'other' takes 'y' as float2; expected float, as declared in args()"},
    {7, P "reference(other)\n__global__ void other(double2 *y, size_t n) {}",
     "a.cu:7:17: 'other' takes 'y' as double2; expected float, as declared in args()"},
    {7, "const char *s = R\"(\n" P "tune(A = 1)\n)\";", ""},
    {7, "const char *s = R\"a_delimiter_that_is_too_long(x)a_delimiter_that_is_too_long\";", ""},
    {7, "const char *s = R\"never closed", ""},
    {7, "const char *s = R\"(never closed",
     "a.cu:2:17: no __global__ function 'twice'; expected its definition in this file"},
    {7, "#pragma gputune\\\r\n tune(A = 1, 1)",
     "a.cu:8:14: value 1 is given twice; expected each once"},
};

static const struct {
    int line;
    const char *text, *message, *kernel;
} mistakes_of_kernels[] = {
    {4, "struct S { float a[300]; };\n" P WITH_S "{1})",
     "a.cu:4:20: a has an extent of 300; expected 1 to 256", S_KERNEL},
    {4, "struct S { float a[200]; };\n" P "args(inout float y[n], size_t n, S s = {1}, S t = {1})",
     "a.cu:1:1: the structs of all arguments have more than 400 numbers; expected fewer",
     KERNEL("float", ", S s, S t")},
    {4, "struct S { float a[64][64]; };\n" P WITH_S "{1})",
     "a.cu:1:1: a struct of an argument has more than 256 numbers; expected fewer, or an array of "
     "them as a buffer",
     S_KERNEL},
    {4, "struct S { int a; enum { B } b; };\n" P WITH_S "{1})",
     "a.cu:4:19: a nested definition in struct 'S', which an argument uses; expected it outside of "
     "the struct",
     S_KERNEL},
    {4, "struct S { int a; std::array<int, 3> b; };\n" P WITH_S "{1})",
     "a.cu:4:19: unknown type 'std::array<int,3>' in struct 'S'; expected a number type", S_KERNEL},
    {4, "struct S { int a;\n#ifdef BLOCK\nint b;\n#endif\n };\n" P WITH_S "{1})",
     "a.cu:5:1: a directive in struct 'S', which an argument uses; expected members alone",
     S_KERNEL},
    {4, "struct alignas(3) S { int a; };\n" P WITH_S "{1})",
     "a.cu:4:16: an alignment of 3; expected a power of two up to 4096", S_KERNEL},
    {4, "struct alignas(8192) S { int a; };\n" P WITH_S "{1})",
     "a.cu:4:16: an alignment of 8192; expected a power of two up to 4096", S_KERNEL},
    {4, "class S { public: int a; private: int b; };\n" P WITH_S "{1, 2})", "", S_KERNEL},
    {4, "const int A = 3; struct S { int a[A]; };\n" P WITH_S "1)", "", S_KERNEL},
    {4, "constexpr int A = 3, B = A; struct S { int a[A]; };\n" P WITH_S "1)", "", S_KERNEL},
    {4, "struct S { int a[0]; };\n" P WITH_S "1)",
     "a.cu:4:18: a has an extent of 0; expected 1 to 256", S_KERNEL},
    {4, "struct S { int &a; };\n" P WITH_S "1)",
     "a.cu:4:16: a reference in struct 'S', which an argument uses; expected a pointer, or numbers",
     S_KERNEL},
    {4, "struct S { const unsigned long long int a; };\n" P WITH_S "1)", "", S_KERNEL},
    {4, "struct S { int a; };\n" P WITH_S "{. = 1})",
     "a.cu:5:59: found '='; expected a member's name, as in .x = …", S_KERNEL},
    {4, "struct S { int a; };\n" P "args(inout S y[n] = {.a}, size_t n)",
     "a.cu:5:51: the pragma ends here; expected '='", KERNEL("S", "")},
    {4, "struct S { int a; };\n" P "args(inout S y[n] = {prefix(3)}, size_t n)",
     "a.cu:5:38: a part of an element cannot have this fill; expected uniform(low, high), index, "
     "zero or constant(value)",
     KERNEL("S", "")},
    {4, P "args(inout int y[n] = prefix(1 - 2), size_t n)",
     "a.cu:4:39: prefix(-1) at these sizes; expected 0 or more", KERNEL("int", "")},
    {4, P "args(inout char y[n] = prefix(n), size_t n)",
     "a.cu:4:40: y would have numbers up to 1024 at these sizes, which do not fit its type signed "
     "char; expected a wider type",
     KERNEL("char", "")},
    {4, P "args(inout unsigned char y[n] = uniform(0, 256), size_t n)",
     "a.cu:4:49: y is filled from 0 to 256; expected numbers that fit its type unsigned char",
     KERNEL("unsigned char", "")},
    {4, P "args(inout float y[0], size_t n)",
     "a.cu:4:36: 'y' has an extent of 0; expected at least 1", KERNEL("float", "")},
    {4, P "args(inout float y[n][2 - 3], size_t n)",
     "a.cu:4:39: 'y' has an extent of -1; expected at least 1", KERNEL("float", "")},
    {4, P "args(inout double y[m][m][m], size_t n) problem(m = 1 << 40)",
     "buffer y exceeds 2^47 bytes at these sizes", KERNEL("double", "")},
    {7, P "problem(const M = 1 << 30) pass(p : float[M] = global)",
     "block p exceeds 2 GB at these sizes",
     "__global__ void twice(GPUTUNE_PARAM(p) float *y, size_t n) {}"},
    {7, P "reference(other, rtol = n - 2000)",
     "a.cu:7:17: a negative tolerance; expected 0 or more",
     KERNEL("float", "") "\n__global__ void other(float *y, size_t n) {}"},
    {7, P "reference(other, block = n * 2)",
     "other would be launched with 2048 blocks or threads in dimension 0 at these sizes; expected "
     "1 to 1024",
     KERNEL("float", "") "\n__global__ void other(float *y, size_t n) {}"},
    {7, P "reference(other, block = 0)",
     "other would be launched with 0 blocks or threads in dimension 0 at these sizes; expected 1 "
     "to 1024",
     KERNEL("float", "") "\n__global__ void other(float *y, size_t n) {}"},
    {7, P "scratch(float s[n - 1024])",
     "n - 1024 = 0 makes s empty; a buffer needs at least one element (write s[max(1, n - 1024)] "
     "if "
     "n - 1024 may be 0)",
     KERNEL("float", ", float *s")},
    {7, P "scratch(float s[1 << 50])", "buffer s exceeds 2^47 bytes at these sizes",
     KERNEL("float", ", float *s")},
};

/* The included files. There is a "deep" and a "wide" file for each number. */
static const struct {
    const char *name, *text;
} files[] = {
    {"cycle", "#include \"cycle\"\n"},
    {"guard", "#ifndef G\n#define G\n#include \"guard\"\n#endif\n"},
    {"once", "#pragma once\n#include \"once\"\n"},
    {"other", "#ifndef G\n#define H\n#include \"other\"\n#endif\n"},
    {"undefined", "#ifndef G\n#undef G\n#include \"undefined\"\n#endif\n"},
    {"wide", "int a;\n"},
};

static gputune_status find_file(void *user, const gt_include *include, gt_included *out)
{
    gt_text text = {0};
    const char *digits = include->name + strcspn(include->name, "0123456789");
    *out = (gt_included){0};
    if (strncmp(include->name, "deep", 4) == 0) {
        gt_text_printf(&text, "#include \"deep%d\"\n", (int)strtol(digits, NULL, 10) + 1);
    } else if (strncmp(include->name, "large", 5) == 0) {
        for (int i = 0; i < 1 << 17; i++) {
            gt_text_append(&text, "// a comment of 32 characters ...\n");
        }
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strncmp(include->name, files[i].name, strlen(files[i].name)) == 0) {
            gt_text_append(&text, files[i].text);
        }
    }
    ASSERT_OK(gt_strdup(&out->path, include->name));
    ASSERT_OK(gt_text_take(&out->text, &text));
    return GPUTUNE_OK;
}

static const gt_mistake includes[] = {
    {7, "#include \"deep0\"", "deep31:1:1: includes nested 32 deep; expected fewer"},
    {7, "#include \"cycle\"",
     "cycle:1:10: 'cycle' includes itself; expected an include guard or no cycle"},
    {7, "#include \"guard\"", ""},
    {7, "#include \"once\"", ""},
    {7, "#include \"other\"",
     "other:3:10: 'other' includes itself; expected an include guard or no cycle"},
    {7, "#include \"undefined\"",
     "undefined:3:10: 'undefined' includes itself; expected an include guard or no cycle"},
    {7, "#include <>", "a.cu:7:10: an #include without a name; expected <file>"},
    {7, "#include <open", "a.cu:7:10: an #include without a name; expected <file>"},
    {7, "#include NAME",
     "a.cu:7:10: an #include of a macro, which is not expanded here; expected \"file\" or <file>"},
};

static const gt_excess long_includes[] = {
    {7, "", "#include \"wide@\"\n", 513, "",
     "a.cu:1:1: more than 512 included files; expected fewer", NULL},
    {7, "", "#include \"large@\"\n", 3, "",
     "a.cu:1:1: more than 8388608 bytes with all includes; expected less", NULL},
    {7, "#include <", "long/", 200, ">",
     "a.cu:7:10: the name of an include has 1000 characters; expected fewer than 512", NULL},
};

/* Checks the message for a template with one line and the kernel replaced. An empty message means
 * that the template is accepted. */
static void check_line(int line, const char *line_text, const char *kernel, const char *message)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_template *template = NULL;
    for (int i = 1; i <= LINES; i++) {
        const char *unchanged = i == LINES && kernel ? kernel : lines[i - 1];
        gt_text_printf(&text, "%s\n", i == line ? line_text : unchanged);
    }
    gputune_status status =
        gt_template_parse(&template, "a.cu", gt_text_string(&text), NULL, find_file, NULL);
    status = status == GPUTUNE_OK ? bind(template) : status;
    gt_template_free(template);
    if (message[0]) {
        assert_true(status < 0);
        assert_string_equal(gt_message(), message);
    } else {
        ASSERT_OK(status);
    }
}

static void check_excesses(const gt_excess *excesses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_append(&text, excesses[i].begin);
        for (int k = 0; k < excesses[i].count; k++) {
            for (const char *c = excesses[i].item; *c; c++) {
                char number[16] = {*c};
                if (*c == '@') {
                    snprintf(number, sizeof number, "%d", k);
                }
                gt_text_append(&text, number);
            }
        }
        gt_text_append(&text, excesses[i].end);
        check_line(excesses[i].line, gt_text_string(&text), excesses[i].kernel,
                   excesses[i].message);
    }
}

TEST(excess_is_refused)
{
    check_excesses(excesses, sizeof excesses / sizeof *excesses);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        check_line(mistakes[i].line, mistakes[i].text, NULL, mistakes[i].message);
    }
    for (size_t i = 0; i < sizeof mistakes_of_kernels / sizeof *mistakes_of_kernels; i++) {
        check_line(mistakes_of_kernels[i].line, mistakes_of_kernels[i].text,
                   mistakes_of_kernels[i].kernel, mistakes_of_kernels[i].message);
    }
}

TEST(includes_are_bounded)
{
    check_excesses(long_includes, sizeof long_includes / sizeof *long_includes);
    for (size_t i = 0; i < sizeof includes / sizeof *includes; i++) {
        check_line(includes[i].line, includes[i].text, NULL, includes[i].message);
    }
}
