/* Tests the additional data of proofs: other scalars, other members of structs, unusual inputs. A
 * value is dropped if the default or the reference crashes, hangs or returns nonsense with it.
 * Dropped values must not make the proof refuse correct variants, and the remaining values must
 * still reveal faulty variants. */
#include "support/folder.h"
#include "world.h"

/* A kernel with two variants and a reference. WHICH=0 has the body `right`. WHICH=1 has the body
 * `other` and is faster; the body is `right` if `other` is NULL. The reference has the body
 * `reference`, or `right` if `reference` is NULL. The parameters are (float *y, const float *x,
 * TYPES, int n), and `i` is the index of the thread's element. */
typedef struct kernel {
    const char *name, *code, *input, *args, *types, *right, *other, *reference;
    const char *tolerance;
    bool checks;       /* true if `reference` is the body of a check kernel */
    const char *words; /* text that the failure, or the message about the winner, must contain */
} kernel;

static void write_kernel(char path[128], const kernel *k)
{
    static int written;
    static const char head[] = "#pragma gputune kernel(tried)\n"
                               "#pragma gputune problem(n = 2000)\n"
                               "#pragma gputune args(out float y[n], in float x[n]%s%s%s, int n)\n"
                               "#pragma gputune tune(WHICH = 0, 1)\n"
                               "#pragma gputune block(WHICH ? 64 : 128)\n"
                               "#pragma gputune grid(ceil_div(n, WHICH ? 64 : 128))\n"
                               "#pragma gputune shared(4 * (WHICH ? 64 : 128))\n"
                               "#pragma gputune %s(tried_reference, block = 256%s)\n";
    static const char body[] = "__global__ void %s(float *y, const float *x%s%s, int n%s)\n"
                               "{\n"
                               "    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n";
    const char *comma = k->args ? ", " : "", *types = k->types ? k->types : "";
    snprintf(path, 128, "%s/tried%d.cu", world.folder, ++written);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, head, k->input ? k->input : "", comma, k->args ? k->args : "",
            k->checks ? "check" : "reference", k->tolerance ? k->tolerance : "");
    fprintf(file, "%s\n", k->code ? k->code : "");
    fprintf(file, "static __device__ void slowly(float *y)\n{\n    float x = 1;\n#pragma unroll 1\n"
                  "    for (int t = 0; t < 600 && threadIdx.x < 32; t++)\n"
                  "        asm volatile(\"add.rn.f32 %%0, %%0, %%0;\" : \"+f\"(x));\n"
                  "    if (x == 3) y[0] = x; // never, so an assembler keeps the loop\n}\n");
    fprintf(file, body, "tried", comma, types, "");
    fprintf(file, "#if WHICH\n    %s\n#else\n    %s\n%s#endif\n}\n", k->other ? k->other : k->right,
            k->right, k->other ? "    slowly(y);\n" : "");
    fprintf(file, body, "tried_reference", comma, types,
            k->checks ? ", unsigned long long *wrong" : "");
    fprintf(file, "    %s\n}\n", k->reference ? k->reference : k->right);
    assert_int_equal(fclose(file), 0);
}

static int on_trial(void *user, const gputune_record *record)
{
    size_t used = strlen(user);
    if (strstr("wrong crashed hung launch", record->status)) {
        snprintf((char *)user + used, 1024 - used, "%s: %s: %s\n", record->configuration,
                 record->status, record->message);
    }
    return 0;
}

static int on_winner(void *user, const gputune_record *record)
{
    snprintf(user, 1024, "%s", record->message);
    return 0;
}

/* Tunes the kernel and checks that it has a winner. Returns the failed variants with their reasons,
 * or the message about the winner. */
static const char *result_of(gputune *tuner, const kernel *k, bool all_trials)
{
    static char found[1024];
    char path[128];
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    write_kernel(path, k);
    if (tune_kernel(&plan, tuner, path, GPUTUNE_NO_SIZES, &OPTIONS()) < 0) {
        fail_msg("%s: %s", k->name, gputune_error());
    }
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
    found[0] = '\0';
    OK(gputune_records(tuner, &FILTER(.all_trials = all_trials, .kernel = path),
                       all_trials ? on_trial : on_winner, found));
    unlink(path);
    return found;
}

static void expect_right(const kernel *kernels, size_t count)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    for (size_t i = 0; i < count; i++) {
        const char *found = result_of(tuner, &kernels[i], true);
        if (found[0]) {
            fail_msg("%s: refused: %s", kernels[i].name, found);
        }
    }
}

/* Under TSan, the proof uses up its CPU time before it tries further values. */
static void skip_if_too_slow(void)
{
#ifdef __SANITIZE_THREAD__
    skip();
#endif
}

static void expect_found(const kernel *kernels, size_t count)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    for (size_t i = 0; i < count; i++) {
        const char *found = result_of(tuner, &kernels[i], true);
        if (strncmp(found, "WHICH=1: wrong: ", 16) != 0 || !strstr(found, kernels[i].words)) {
            fail_msg("%s: expected '%s', found '%s'", kernels[i].name, kernels[i].words, found);
        }
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(members_that_index_divide_or_count_are_kept)
{
    static const kernel kernels[] = {
        {.name = "dimensions",
         .code = "struct shape { int sizes[4]; int dims; };",
         .args = "shape s = {.sizes = n, .dims = 1}",
         .types = "shape s",
         .right = "if (i < s.sizes[s.dims - 1]) y[i] = x[i % s.sizes[s.dims - 1]];",
         .reference = "if (i < s.sizes[0]) y[i] = x[i];"},
        {.name = "an index",
         .code = "struct places { long at; };",
         .args = "places p = {.at = 0}",
         .types = "places p",
         .right = "if (i < n) y[i] = x[i + p.at * 1000000000];"},
        {.name = "a divisor",
         .code = "struct group { int width, groups; };",
         .args = "group g = {.width = n, .groups = 1}",
         .types = "group g",
         .right = "if (i < n) y[i] = x[i % (g.width / g.groups)];"},
        {.name = "bits",
         .code = "struct field { int bits; };",
         .args = "field f = {.bits = 1}",
         .types = "field f",
         .right = "if (i < n) y[i] = x[i & ((1 << f.bits) - 1)] + (1 << (f.bits - 1));"},
        {.name = "a pitch in shared memory",
         .code = "struct tile { int pitch; };\nextern __shared__ float kept[];",
         .args = "tile t = {.pitch = 1}",
         .types = "tile t",
         .right = "if (i < n) kept[threadIdx.x * t.pitch] = x[i];\n    __syncthreads();\n"
                  "    if (i < n) y[i] = kept[threadIdx.x * t.pitch];",
         .reference = "if (i < n) y[i] = x[i];"},
    };
    expect_right(kernels, COUNT(kernels));
}

TEST(values_that_never_end_are_dropped)
{
    static const kernel kernels[] = {
        {.name = "a step",
         .code = "struct walk { int step; };",
         .args = "walk w = {.step = 1}",
         .types = "walk w",
         .right = "float sum = 0;\n    for (int k = 0; k != 4; k += w.step) sum += k * x[i % n];\n"
                  "    if (i < n) y[i] = sum;"},
        {.name = "a time step",
         .args = "float dt = 0.25, float end = 2",
         .types = "float dt, float end",
         .right = "float at = i < n ? x[i] : 0;\n"
                  "    for (float t = 0; t < end; t += dt) at += dt;\n"
                  "    if (i < n) y[i] = at;"},
        {.name = "inputs",
         .args = "float scale = 1.5",
         .types = "float scale",
         .right = "int k = i % n;\n    while (x[k] == 0) k = (k + 1) % n;\n"
                  "    if (i < n) y[i] = scale * x[k];"},
    };
    setenv("GPUTUNE_EMU_DEADLINE", "1", 1);
    expect_right(kernels, COUNT(kernels));
    unsetenv("GPUTUNE_EMU_DEADLINE");
}

TEST(infinite_and_negative_floats_refuse_no_correct_variant)
{
    static const kernel kernels[] = {
        {.name = "an order of sums",
         .input = " = uniform(-1, 1)",
         .args = "float alpha = 1.5",
         .types = "float alpha",
         .right = "float part = 0;\n    for (int k = 0; k < 8; k++) part += x[(i + k) % n];\n"
                  "    if (i < n) y[i] = alpha * part;",
         .other =
             "float part = 0;\n    for (int k = 7; k >= 0; k--) part += alpha * x[(i + k) % n];\n"
             "    if (i < n) y[i] = part;"},
        {.name = "a root",
         .args = "float eps = 1e-3",
         .types = "float eps",
         .right = "if (i < n) y[i] = x[i] * rsqrtf(x[i] * x[i] + eps);",
         .other = "if (i < n) y[i] = x[i] / sqrtf(x[i] * x[i] + eps);"},
        {.name = "a square that overflows",
         .args = "float a = 1.5",
         .types = "float a",
         .right = "if (i < n) y[i] = a * x[i] / a;",
         .other = "if (i < n) y[i] = a * a * x[i] / (a * a);"},
        {.name = "an index of floats",
         .args = "float scale = 100",
         .types = "float scale",
         .right = "if (i < n) y[i] = x[(int)(fabsf(x[i]) * scale)];"},
    };
    expect_right(kernels, COUNT(kernels));
}

TEST(remaining_values_find_faulty_variants)
{
    static const kernel kernels[] = {
        {.name = "a flag beside dimensions",
         .code = "struct shape { int sizes[4]; int dims; bool negate; };",
         .args = "shape s = {.sizes = n, .dims = 1, .negate = 0}",
         .types = "shape s",
         .right = "if (i < s.sizes[s.dims - 1]) y[i] = s.negate ? -x[i] : x[i];",
         .other = "if (i < s.sizes[s.dims - 1]) y[i] = x[i];",
         .words = "at n=1987 where s.negate = 1, with inputs with NaN"},
        {.name = "an enumerator beside a step",
         .code = "enum kind { PLAIN, TWICE };\nstruct walk { int step; int kind; };",
         .args = "walk w = {.step = 1, .kind = 0}",
         .types = "walk w",
         .right = "float sum = 0;\n    for (int k = 0; k != 4; k += w.step) sum += k * x[i % n];\n"
                  "    if (i < n) y[i] = w.kind == TWICE ? 2 * sum : sum;",
         .other = "float sum = 0;\n    for (int k = 0; k != 4; k += w.step) sum += k * x[i % n];\n"
                  "    if (i < n) y[i] = sum;",
         .words = "where w.kind = 1"},
        {.name = "a factor beside a time step",
         .args = "float dt = 0.25, float end = 2, float a = 3",
         .types = "float dt, float end, float a",
         .right = "float at = i < n ? a * x[i] : 0;\n"
                  "    for (float t = 0; t < end; t += dt) at += dt;\n    if (i < n) y[i] = at;",
         .other = "float at = i < n ? 3 * x[i] : 0;\n"
                  "    for (float t = 0; t < end; t += dt) at += dt;\n    if (i < n) y[i] = at;",
         .words = "a = -"},
        {.name = "not a number",
         .args = "float b = 1.5",
         .types = "float b",
         .right = "if (i < n) y[i] = b * x[i];",
         .other = "if (i < n) y[i] = isnan(b) ? x[i] : b * x[i];",
         .words = "where b = nan"},
        {.name = "infinite",
         .args = "float b = 1.5",
         .types = "float b",
         .right = "if (i < n) y[i] = b * x[i];",
         .other = "if (i < n) y[i] = isinf(b) ? x[i] : b * x[i];",
         .words = "where b = inf"},
        {.name = "very large",
         .args = "float b = 1.5",
         .types = "float b",
         .right = "if (i < n) y[i] = b * x[i];",
         .other = "if (i < n) y[i] = (isfinite(b) ? fminf(b, 1e20f) : b) * x[i];",
         .words = "e+29"},
    };
    skip_if_too_slow();
    setenv("GPUTUNE_EMU_DEADLINE", "1", 1);
    expect_found(kernels, COUNT(kernels));
    unsetenv("GPUTUNE_EMU_DEADLINE");
}

static const char plain[] = "if (i < n) y[i] = s.kind == 2 ? 2 * x[i] : s.negate ? -x[i] : x[i];";

TEST(prove_fixes_and_lists_members)
{
    static const kernel fixed = {.name = "a member that keeps its value",
                                 .code = "#pragma gputune prove(s.negate)\n"
                                         "struct how { int negate, kind; };",
                                 .args = "how s = {.negate = 0, .kind = 3}",
                                 .types = "how s",
                                 .right = plain,
                                 .other = "if (i < n) y[i] = s.kind == 2 ? 2 * x[i] : x[i];"};
    static const kernel listed = {.name = "a member with a list",
                                  .code = "#pragma gputune prove(s.kind = 1, 2)\n"
                                          "struct how { int negate, kind; };",
                                  .args = "how s = {.negate = 0, .kind = 3}",
                                  .types = "how s",
                                  .right = plain,
                                  .other = "if (i < n) y[i] = s.negate ? -x[i] : x[i];",
                                  .words = "s.kind = 2"};
    expect_right(&fixed, 1);
    skip_if_too_slow();
    expect_found(&listed, 1);
}

#define PLAIN  "if (i < n) y[i] = x[i];"
#define CLAMP  "if (i < n) y[i] = x[i] < 0 ? 0 : x[i];"
#define FMAXF  "if (i < n) y[i] = fmaxf(x[i], 0);"
#define CUT    "if (i < n) y[i] = fminf(fmaxf(x[i], -1), 1);"
#define SCALED "if (i < n) y[i] = a * x[i];"
#define THRICE "if (i < n) y[i] = 3 * x[i];"

TEST(scalars_have_other_values)
{
    static const kernel correct[] = {
        {.name = "an offset, which is no flag",
         .args = "unsigned first = 0",
         .types = "unsigned first",
         .right = "if (i < n) y[i] = x[i + first];",
         .reference = PLAIN},
        {.name = "a scalar that keeps its value",
         .code = "#pragma gputune prove(a)",
         .args = "float a = 3",
         .types = "float a",
         .right = SCALED,
         .other = THRICE},
        {.name = "an integer, which may be a count",
         .args = "int a = 3",
         .types = "int a",
         .right = SCALED,
         .other = THRICE},
    };
    static const kernel faulty[] = {
        {.name = "a factor",
         .args = "float a = 3",
         .types = "float a",
         .right = SCALED,
         .other = THRICE,
         .words = "where a = "},
        {.name = "an integer with a list",
         .code = "#pragma gputune prove(a = 4)",
         .args = "int a = 3",
         .types = "int a",
         .right = SCALED,
         .other = THRICE,
         .words = "where a = 4"},
        {.name = "one of two flags",
         .args = "int s = 0, int t = 0",
         .types = "int s, int t",
         .right = "if (i < n) y[i] = (s ? t ? 4 : 2 : t ? 3 : 1) * x[i];",
         .other = "if (i < n) y[i] = (s && t ? 4 : 1) * x[i];",
         .words = "where t = 1"},
        {.name = "a factor under a check kernel",
         .args = "float a = 3",
         .types = "float a",
         .right = SCALED,
         .other = THRICE,
         .reference = "if (i < n && y[i] != a * x[i]) atomicAdd(wrong, 1ull);",
         .checks = true,
         .words = "where a = "},
    };
    expect_right(correct, COUNT(correct));
    expect_found(faulty, COUNT(faulty));
}

TEST(inputs_hold_rare_values_unless_the_template_excludes_them)
{
    static const kernel correct[] = {
        {.name = "no NaN in finite inputs", .input = " finite", .right = CLAMP, .other = FMAXF},
        {.name = "no NaN in a range", .input = " = uniform(-1, 1)", .right = CLAMP, .other = FMAXF},
        {.name = "nothing beyond a range",
         .input = " = uniform(-1, 1)",
         .right = PLAIN,
         .other = CUT},
        {.name = "positive divisors",
         .input = " = uniform(-9, 9)",
         .args = "in float d[n] = uniform(1, 2)",
         .types = "const float *d",
         .right = "if (i < n) y[i] = x[i] / fabsf(d[i]);",
         .other = "if (i < n) y[i] = x[i] / d[i];"},
        {.name = "a counter that only a variant uses",
         .args = "inout int left[1] = zero",
         .types = "int *left",
         .right = PLAIN,
         .other = PLAIN "if (threadIdx.x == 0 && atomicAdd(left, 1) == gridDim.x - 1) *left = 0;"},
    };
    static const kernel faulty[] = {
        {.name = "a sum of integers",
         .args = "inout int seen[n] = zero",
         .types = "int *seen",
         .right = "if (i < n) { seen[i] += i; y[i] = 1; }",
         .other = "if (i < n) { seen[i] = i; y[i] = 1; }",
         .words = "where seen = 1"},
        {.name = "an integer before a float",
         .code = "struct pair { int at; float value; };",
         .args = "out pair p[n]",
         .types = "pair *p",
         .right = "if (i < n) { p[i] = {i, x[i]}; y[i] = 1; }",
         .other = "if (i < n) { p[i] = {i ^ 1, x[i]}; y[i] = 1; }",
         .words = "p[0].at is 1, expected 0"},
        {.name = "a member that counts",
         .code = "struct sums { int count; float sum; };",
         .args = "inout sums s[1] = {zero, zero}",
         .types = "sums *s",
         .right = PLAIN " if (i < n) atomicAdd(&s->count, 1);",
         .other = PLAIN " if (i == 0) s->count = n;",
         .words = "where s.count = 1"},
        {.name = "half of the outputs",
         .input = " finite",
         .right = "if (i < n / 2) y[i] = x[i];",
         .other = "if (i < n / 2) y[i] = fminf(x[i], 1.0f);",
         .words = ""},
        {.name = "an order of NaN",
         .right = "if (i < n) y[i] = x[i] > 0 ? 1 : 2;",
         .other = "if (i < n) y[i] = x[i] <= 0 ? 2 : 1;",
         .words = "'finite' after inputs"},
        {.name = "nothing but infinities",
         .right = "float m = -INFINITY; for (int k = 0; k < 8; k++) m = fmaxf(m, x[(i + k) % n]);\n"
                  "    if (i < n) y[i] = m;",
         .other = "float m = -3e38f; for (int k = 0; k < 8; k++) m = fmaxf(m, x[(i + k) % n]);\n"
                  "    if (i < n) y[i] = m;",
         .words = "expected -inf"},
        {.name = "NaN", .right = CLAMP, .other = FMAXF, .words = "'finite' after inputs"},
        {.name = "large inputs", .input = " finite", .right = PLAIN, .other = CUT, .words = ""},
    };
    expect_right(correct, COUNT(correct));
    expect_found(faulty, COUNT(faulty));
}

/* Programs that work must not be refused. If the default does not support a value, no variant needs
 * to support it. */
TEST(values_that_the_default_fails_with_are_dropped)
{
    static const kernel correct = {
        .name = "as the default", .right = FMAXF, .other = FMAXF, .reference = CLAMP};
    static const kernel faulty = {
        .name = "worse", .right = FMAXF, .other = PLAIN, .reference = CLAMP, .words = ""};
    expect_right(&correct, 1);
    expect_found(&faulty, 1);
}

#define MEAN "float s = 0; for (int k = 0; k < 7; k++) s += x[(i / 7 * 7 + k) % n];"

/* Correct variants may differ if data or a scalar make all results mere rounding errors. */
TEST(results_that_cancel_may_differ)
{
    static const kernel correct[] = {
        {.name = "a difference from the mean of equal inputs",
         .input = " = uniform(0.3, 0.7)",
         .right = MEAN "if (i < n) y[i] = x[i] - s / 7;",
         .other = MEAN "if (i < n) y[i] = x[i] - s * (1.0f / 7);"},
        {.name = "a wave with a very high frequency",
         .args = "float w = 3, float p = 0.5",
         .types = "float w, float p",
         .right = "if (i < n) y[i] = sinf(w * x[i] + p);",
         .other = "if (i < n) y[i] = sinf(w * x[i]) * cosf(p) + cosf(w * x[i]) * sinf(p);"},
    };
    expect_right(correct, COUNT(correct));
}

TEST(places_that_rise_are_not_made_equal)
{
    static const kernel scatter = {.name = "a scatter",
                                   .args = "in int at[n / 2] = 2 * index + 1",
                                   .types = "const int *at",
                                   .right = "if (i < n / 2) y[at[i]] = x[i];",
                                   .other = "i = n / 2 - 1 - i; if (i >= 0) y[at[i]] = x[i];"};
    expect_right(&scatter, 1);
}

TEST(values_that_the_reference_fails_with_are_dropped)
{
    static const kernel kernels[] = {
        {.name = "a mode that traps",
         .args = "int mode = 0",
         .types = "int mode",
         .right = "if (mode) { __trap(); } if (i < n) y[i] = x[i];"},
        {.name = "a root of a negative number",
         .args = "float a = 4",
         .types = "float a",
         .right = "if (i < n) y[i] = sqrtf(a) * x[i];"},
        {.name = "an offset far away",
         .args = "int offset = 0",
         .types = "int offset",
         .right = "if (i < n) y[i] = x[i + 1000000 * (size_t)offset];"},
    };
    /* on a GPU, the invalid address may be accessible */
    expect_right(kernels, COUNT(kernels) - (strncmp(world_driver(), "emu", 3) != 0));
}

static int on_run(void *user, const gputune_record *record)
{
    size_t used = strlen(user);
    snprintf((char *)user + used, 512 - used, "%s %s;", record->configuration, record->status);
    print_message("%s: %s\n", record->configuration, record->message);
    return 0;
}

/* Runs these configurations. Returns a text with the result of each, such as "WHICH=1 ok;". */
static const char *run(const char *path, const char *const *some, uint32_t count, int expected)
{
    static char found[512];
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    found[0] = '\0';
    assert_int_equal(
        gputune_run(tuner, path, GPUTUNE_NO_SIZES, some, count, &OPTIONS(), on_run, found),
        expected);
    return found;
}

/* A sample on a GPU launches many times with one counter, so the template needs clear(). */
TEST(launches_in_a_row_find_the_counter_restored)
{
    static const kernel counts = {.name = "a counter",
                                  .args = "inout int count[1] = zero",
                                  .types = "int *count",
                                  .right = "if (i < n) y[atomicAdd(count, 1)] = 1;",
                                  .reference =
                                      "if (i < n) y[i] = 1;\n    if (i == 0) *count += n;"};
    expect_right(&counts, strncmp(world_driver(), "emu", 3) == 0);
}

TEST(values_are_dropped_if_only_other_variants_run)
{
    static const char *const other[] = {"WHICH=1", "WHICH=1"};
    kernel k = {.name = "alone", .right = FMAXF, .other = FMAXF, .reference = CLAMP};
    char path[128];
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    write_kernel(path, &k);
    assert_string_equal(run(path, other, 2, GPUTUNE_OK), "WHICH=1 ok;WHICH=1 ok;");
    setenv("GPUTUNE_FORCE", "tried:WHICH=1", true);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_NO_SIZES, &OPTIONS()));
    unsetenv("GPUTUNE_FORCE");
    assert_string_equal(info_of(plan).configuration, "WHICH=1");
    k.other = PLAIN;
    write_kernel(path, &k);
    assert_string_equal(run(path, other, 1, GPUTUNE_EWRONG), "");
    unlink(path);
}

TEST(values_are_dropped_in_each_worker)
{
    static const char *const some[] = {"WHICH=0", "WHICH=1 TRAPS=1", "WHICH=1"};
    static const kernel k = {.code = "#pragma gputune tune(TRAPS = 0, 1)",
                             .right = FMAXF,
                             .other = "if (TRAPS) { __trap(); } " FMAXF,
                             .reference = CLAMP};
    char path[128];
    write_kernel(path, &k);
    assert_string_equal(run(path, some, 3, GPUTUNE_OK),
                        "WHICH=0 TRAPS=0 ok;WHICH=1 TRAPS=1 crashed;WHICH=1 TRAPS=0 ok;");
    unlink(path);
}

static void expect_logged(const kernel *k, const char *words)
{
    expect_right(k, 1);
    if (!strstr(world.log, words)) {
        fail_msg("expected '%s', found '%s'", words, world.log);
    }
}

TEST(variables_that_are_written_are_logged)
{
    static const kernel k = {.name = "launches",
                             .code = "__device__ unsigned launches;",
                             .right = PLAIN " if (i == 0) { launches++; }",
                             .reference = PLAIN};
    expect_logged(&k, "writes the __device__ variable launches");
}

TEST(constants_that_nothing_fills_are_logged)
{
    static const kernel k = {.name = "weights",
                             .code = "__constant__ float one = 1, unread[2], weights[4];\n"
                                     "__device__ float by(int i) { return (one - 1) * "
                                     "weights[i % 4] + weights[0]; }",
                             .right = "if (i < n) y[i] = x[i] + by(i);",
                             .reference = PLAIN};
    expect_logged(&k, "reads the __constant__ weights, which nothing fills");
    assert_null(strstr(world.log, "__constant__ one"));
    assert_null(strstr(world.log, "__constant__ unread"));
}

static bool is_called_loose(const char *tolerance)
{
    const kernel k = {.name = tolerance, .right = PLAIN, .tolerance = tolerance};
    expect_right(&k, 1);
    return strstr(world.log, "almost any result passes") != NULL;
}

TEST(loose_tolerance_is_logged)
{
    assert_false(is_called_loose(""));
    assert_false(is_called_loose(", atol = 1e-3"));
    assert_true(is_called_loose(", atol = 3"));
}

TEST(scalars_verified_with_one_value_are_reported)
{
    static const kernel kernels[] = {
        {.name = "a count",
         .args = "int steps = 4, float a = 2",
         .types = "int steps, float a",
         .right = "if (i < n) y[i] = a * x[i] * steps;",
         .words = "steps was proved with 4 only; prove(steps = VALUE) tries another"},
        {.name = "a member",
         .code = "struct shape { int sizes[4]; int dims; };",
         .args = "shape s = {.sizes = n, .dims = 1}",
         .types = "shape s",
         .right = "if (i < s.sizes[s.dims - 1]) y[i] = x[i];",
         .words = "s.dims was proved with 1 only (others "},
        {.name = "all have others",
         .args = "float a = 2, bool negate = 0",
         .types = "float a, bool negate",
         .right = "if (i < n) y[i] = negate ? -a * x[i] : a * x[i];",
         .words = ""},
        {.name = "one that prove() fixes",
         .code = "#pragma gputune prove(steps)",
         .args = "int steps = 4",
         .types = "int steps",
         .right = "if (i < n) y[i] = x[i] * steps;",
         .words = ""},
    };
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    for (size_t i = 0; i < COUNT(kernels); i++) {
        const char *note = result_of(tuner, &kernels[i], false), *words = kernels[i].words;
        if (words[0] ? strstr(note, words) != note : note[0] != '\0') {
            fail_msg("%s: '%s'", kernels[i].name, note);
        }
    }
}

TEST(data_sets_without_time_are_reported)
{
    static const kernel slow = {
        .name = "a slow reference",
        .right = "if (i < n) y[i] = x[i];",
        .reference = "for (int k = 0; k < 5000; k++) { slowly(y); } if (i < n) y[i] = x[i];"};
    SKIP_IF(strncmp(world_driver(), "emu", 3) != 0); /* on a GPU, the reference is not slow */
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    const char *found = result_of(tuner, &slow, false);
    if (!strstr(found, "data sets, such as the one at n=1987 ")) {
        fail_msg("found '%s'", found);
    }
}

TESTS_WITHIN(open_device, world_close)
