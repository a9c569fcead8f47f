/* Tests options(): the options of each variant, the template's identity, and refused options. */
#include "kernel_support.h"

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(n = 64, const R = 2) args(out float y[n], size_t n)\n"      \
    "#pragma gputune tune(FAST = 0, 1) tune(MODE = 0, 1, 2) block(32) grid(1) shared(FAST + "      \
    "MODE)\n"                                                                                      \
    "#pragma gputune reference(ref)\n"                                                             \
    "__global__ void k(float *y, size_t n) {}\n__global__ void ref(float *y, size_t n) {}\n"       \
    "#pragma gputune "

/* Returns the options of a configuration, or of the reference if `configuration` is NULL. */
static const char *options_of(const char *clause, const char *configuration)
{
    static char joined[512];
    gt_text text = {0};
    GT_SCOPED(gt_source_free) gt_source source = {0};
    gt_text_printf(&text, "%s%s\n", HEAD, clause);
    SETUP(b, gt_text_string(&text), "sm_90");
    if (configuration) {
        source = source_of(&b, configuration);
    } else {
        ASSERT_OK(gt_source_reference(&source, b.template, &b.problem, &b.device, ""));
    }
    gt_text_free(&text);
    for (size_t i = 0; i < source.option_count; i++) {
        gt_text_printf(&text, "%s%s", i ? " " : "", source.options[i]);
    }
    snprintf(joined, sizeof joined, "%s", gt_text_string(&text));
    gt_text_free(&text);
    return joined;
}

/* A block that needs more registers than a multiprocessor has cannot be launched. */
TEST(a_reference_has_the_registers_that_its_block_can_have)
{
#define JUDGE(block)                                                                               \
    "check(judge" block ")\n__global__ void judge(float *y, size_t n, unsigned long long *w) {}"
    assert_string_equal(options_of(JUDGE(""), NULL), "");
    assert_string_equal(options_of(JUDGE(", block = (32, R * 16)"), NULL), "--maxrregcount=64");
    assert_string_equal(options_of(JUDGE(", block = 384"), NULL), "--maxrregcount=168");
    assert_string_equal(options_of(JUDGE(", block = 1024"), "FAST=0 MODE=0"), "");
}

TEST(test_options_follow_the_configuration)
{
    static const char clause[] =
        "options(\"--fmad=false\", FAST ? \"--use_fast_math\" : \"\", MODE == 1 ? \"-Xptxas=-O1\" "
        ": MODE == 2 && R == 2 ? \"-Xptxas=-O2\" : \"\") options(cc >= 100 ? \"-DNEW\" : "
        "\"-DOLD=1\") maxreg(MODE * 32)";
    assert_string_equal(options_of(clause, ""), "--fmad=false -DOLD=1");
    assert_string_equal(options_of(clause, "FAST=1"), "--fmad=false --use_fast_math -DOLD=1");
    assert_string_equal(options_of(clause, "MODE=1"),
                        "--fmad=false -Xptxas=-O1 -DOLD=1 --maxrregcount=32");
    assert_string_equal(options_of(clause, "MODE=2"),
                        "--fmad=false -Xptxas=-O2 -DOLD=1 --maxrregcount=64");
}

/* With fast math, the reference would not be exact. */
TEST(test_the_reference_gets_options_that_change_the_meaning)
{
    assert_string_equal(options_of("options(\"--use_fast_math\", \"--std=c++20\", \"-UX\")", NULL),
                        "--std=c++20 -UX");
    assert_string_equal(options_of("maxreg(64)", NULL), "");
}

TEST(test_options_are_part_of_the_identity)
{
    const gt_hash fast = identity_of(HEAD "options(\"--use_fast_math\")\n");
    assert_false(gt_hash_equal(fast, identity_of(HEAD "maxreg(0)\n")));
    assert_true(gt_hash_equal(fast, identity_of(HEAD "options( \"--use_fast_math\" ) // all\n")));
}

TEST(test_an_axis_of_options_is_compiled_for)
{
    GT_SCOPED(template_end) gt_template *t = parse(HEAD "options(FAST ? \"-G\" : \"\")\n");
    assert_true(axis_of(t, "FAST")->in_source);
    assert_false(axis_of(t, "MODE")->in_source);
}

static const char *const mistakes[][2] = {
    {"options()", "k.cu:6:25: the pragma ends here; expected an option such as "
                  "\"--use_fast_math\", or CONDITION ? \"--option\" : \"\""},
    {"options(FAST)", "k.cu:6:25: found 'FAST'; expected an option such as \"--use_fast_math\", or "
                      "CONDITION ? \"--option\" : \"\""},
    {"options(n > 3 ? \"-G\" : \"\")", "k.cu:6:25: 'n' is a run-time size; expected a tunable, a "
                                       "compile-time problem value or a device property here"},
    {"options(FAST ? \"-G\")", "k.cu:6:36: the pragma ends here; expected ':', as in "
                               "options(\"--use_fast_math\", FAST ? \"--ftz=true\" : \"\")"},
    {"options(\"use_fast_math\")",
     "k.cu:6:25: found 'use_fast_math'; expected one option per string, such as \"--fmad=false\""},
    {"options(\"-D A\")",
     "k.cu:6:25: found '-D A'; expected one option per string, such as \"--fmad=false\""},
    {"options(\"--use_fast_meth\")",
     "k.cu:6:25: unknown compiler option '--use_fast_meth'; expected --use_fast_math"},
    {"options(\"--fmad\")",
     "k.cu:6:25: the compiler option '--fmad' has no value; expected '=' and one"},
    {"options(\"-lineinfo=1\")",
     "k.cu:6:25: the compiler option '-lineinfo=1' has a value; expected none"},
    {"options(\"-I/etc\")", "k.cu:6:25: the compiler option '-I/etc' is refused: it opens folders; "
                            "expected -I on the command line, include_paths or GPUTUNE_INCLUDE"},
    {"options(\"--pre-include=/etc/passwd\")",
     "k.cu:6:25: the compiler option '--pre-include=/etc/passwd' is refused: it opens a file; "
     "expected #pragma gputune include(\"file\")"},
    {"options(\"--time=/tmp/x\")", "k.cu:6:25: the compiler option '--time=/tmp/x' is refused: it "
                                   "reads or writes files; leave it out"},
    {"options(\"-arch=sm_80\")", "k.cu:6:25: the compiler option '-arch=sm_80' is refused: the "
                                 "current GPU is the target; leave it out"},
    {"options(\"-dlto\")", "k.cu:6:25: the compiler option '-dlto' is refused: its code needs a "
                           "link step; expected whole-program code"},
    {"options(\"-maxrregcount=32\")",
     "k.cu:6:25: the compiler option '-maxrregcount=32' is refused: gputune must know this limit; "
     "expected maxreg(COUNT)"},
    {"options(\"--no-cache\")", "k.cu:6:25: the compiler option '--no-cache' is refused: gputune "
                                "sets it itself; leave it out"},
    {"options(\"-Xptxas=--options-file=/etc/passwd\")",
     "k.cu:6:25: the assembler's option '--options-file=/etc/passwd' may open files; expected one "
     "such as -O2, -dlcm=cg or --def-load-cache=ca"},
    {"options(\"-Xptxas=-O2,-o,/tmp/x\")",
     "k.cu:6:25: the assembler's option '-O2,-o,/tmp/x' may open files; expected one such as -O2, "
     "-dlcm=cg or --def-load-cache=ca"},
    {"options(\"-DFAST=3\")",
     "k.cu:6:25: '-DFAST=3' defines a tunable; expected its values in the clause that declares it"},
    {"problem(const RANK = 2) options(\"-DRANK=3\")",
     "k.cu:6:49: '-DRANK=3' defines a problem value; expected its values in the clause that "
     "declares it"},
    {"define(X = 2) options(\"-DX\")", "k.cu:6:39: '-DX' defines a name of define(); expected its "
                                       "values in the clause that declares it"},
    {"options(\"--std=c++14\")",
     "k.cu:6:25: --std=c++14; expected c++17, c++20 or c++23, which the prelude needs"},
};

TEST(test_mistakes)
{
    EXPECT_MISTAKES("k.cu", HEAD "%s\n", mistakes);
}
