/* gputune_check() on the templates of tests/faulty: what it finds in the faulty variant, by kind
 * and by the line of the CUDA source, and nothing in the right one; and nothing in what comes with
 * gputune. Names as arguments: those alone. With GPUTUNE_TEST_LONG=1 all. */
#include "world.h"

#include <glob.h>

/* What is found in the variant BAD=1, in a line that has this text. */
static const struct planted {
    const char *name, *kind, *text;
} planted[] = {
    {"atomic_min_unclear", "unset", "atomicMin(&y[i], x[i] + 1);"},
    {"barrier_behind_return", "race", "held[threadIdx.x ^ 1] : 0.0f;"},
    {"barrier_in_branches", "barrier", "__syncthreads();"},
    {"barrier_in_loop", "barrier", "__syncthreads();"},
    {"between_blocks", "race", "y[i] = i >= BLOCK ? ((volatile float *)part)[i - BLOCK] : x["},
    {"byte_min", "unset", "y[i] = y[i] < x[i] ? y[i] : x[i];"},
    {"cached_by_address", "state", "kept[i] = known ? kept[i] : 2.0f * x[i];"},
    {"cached_by_size", "state", "kept[i] = known ? kept[i] : 2.0f * x[i];"},
    {"cached_in_scratch", "unset", "kept[i] = key[i] == 0x600dc0deu ? kept[i] : 2.0f * x[i];"},
    {"cleared_late", "race", "atomicAdd(&counts[x[i]], 1u);"},
    {"cleared_late", "unset", "atomicAdd(&counts[x[i]], 1u);"},
    {"copy_not_awaited", "race", "y[i] = held[BLOCK - 1 - threadIdx.x];"},
    {"copy_not_signalled", "race", "y[i] = held[BLOCK - 1 - threadIdx.x];"},
    {"counter_by_lanes", "race", "found = found + 1;"},
    {"counter_by_warps", "race", "found = found + mine;"},
    {"earlier_warp", "race", "y[i] = threadIdx.x >= 32 ? ((volatile float *)held)[threadId"},
    {"every_second", "race", "launches = before + 1;"},
    {"every_second", "state", "launches = before + 1;"},
    {"every_seventh", "race", "launches = before + 1;"},
    {"every_seventh", "state", "launches = before + 1;"},
    {"first_thread", "race", "s += ((volatile float *)held)[k];"},
    {"flushed_early", "race", "atomicAdd(&y[k], ((volatile unsigned int *)counts)[k]);"},
    {"fmaxf_with_garbage", "unset", "y[i] = fmaxf(y[i], 2.0f * x[i]);"},
    {"fmin_of_doubles", "unset", "y[i] = fmin(y[i], 2.0 * x[i]);"},
    {"fminf_with_garbage", "unset", "y[i] = fminf(y[i], 2.0f * x[i]);"},
    {"from_launch_100", "race", "launches = before + 1;"},
    {"from_launch_100", "state", "launches = before + 1;"},
    {"from_launch_1000", "race", "launches = before + 1;"},
    {"from_launch_1000", "state", "launches = before + 1;"},
    {"from_launch_20", "race", "launches = before + 1;"},
    {"from_launch_20", "state", "launches = before + 1;"},
    {"from_launch_6", "race", "launches = before + 1;"},
    {"from_launch_6", "state", "launches = before + 1;"},
    {"in_place_neighbour", "race", "y[i] = 2.0f * x[i]"},
    {"later_warp", "race", "held[threadIdx.x] = v;"},
    {"later_warp", "unset", "y[i] = ((volatile float *)held)[(threadIdx.x + 32) % BLOCK];"},
    {"local_behind", "bounds", "float beyond = own[4 + (int)(n % 3)];"},
    {"local_unset", "unset", "s += own[k];"},
    {"min_by_comparison", "unset", "if (!(y[i] <= v)) {"},
    {"negative_garbage", "unset", "y[i] = y[i] < 0.0f ? 0.0f : 2.0f * x[i];"},
    {"no_fence", "race", "s += ((volatile float *)part)[k];"},
    {"no_tail", "bounds", "y[i] = 2.0f * x[i];"},
    {"output_unset", "unset", "y[i] = y[i] == 12345.0f ? 0.0f : 2.0f * x[i];"},
    {"overwritten_early", "race", "s += ((volatile float *)held)[threadIdx.x ^ 32];"},
    {"read_before", "bounds", "float last = ((volatile const float *)x)[(long)i - 1];"},
    {"read_behind", "bounds", "float next = ((volatile const float *)x)[i + 1];"},
    {"register_unset", "unset", "y[i] = s;"},
    {"rows_of_four", "alignment", "float4 v = ((const float4 *)(x + blockIdx.y * n))[i];"},
    {"same_element", "race", "y[i / 2] = 2.0f * x[i];"},
    {"scratch_behind", "bounds", "kept[i + 1] = x[i];"},
    {"scratch_flag", "unset", "if (done[i] != 0) {"},
    {"scratch_min", "unset", "least[i] = fminf(least[i], x[i]);"},
    {"scratch_unset", "unset", "y[i] = kept[i] == 12345.0f ? 0.0f : 2.0f * x[i];"},
    {"shared_behind", "bounds", "float beyond = ((volatile float *)held)[threadIdx.x + 4096];"},
    {"shared_count_unset", "unset", "atomicAdd(&found, v > 0.0f);"},
    {"shared_max_unset", "unset", "y[i] = held[threadIdx.x];"},
    {"shared_min_unset", "unset", "y[i] = held[threadIdx.x];"},
    {"shared_sum_unset", "unset", "y[i] = held[threadIdx.x];"},
    {"shared_times_zero", "race", "y[i] = 2.0f * x[i] + 0.0f * held[threadIdx.x];"},
    {"shared_times_zero", "unset", "y[i] = 2.0f * x[i] + 0.0f * held[threadIdx.x];"},
    {"shared_unset", "unset", "y[i] = ((volatile float *)held)[threadIdx.x] == 12345.0f"},
    {"shared_vector", "alignment", "asm volatile(\"ld.shared.v2.f32 {%0, %1}, [%2];\" : \"=f\"(a"},
    {"shuffle_from_the_gone", "shuffle", "float other = __shfl_down_sync(0xffffffffu, x[i], 1);"},
    {"shuffle_in_branch", "shuffle", "other = __shfl_xor_sync(0xffffffffu, v, 1);"},
    {"signed_max", "unset", "y[i] = max(y[i], x[i]);"},
    {"table_by_first_block", "state", "table[i] = a * (float)(i % 7);"},
    {"tail_of_tile", "unset", "most = fmaxf(most, held[k]);"},
    {"ticket_not_reset", "state", "last = atomicAdd(&ticket, 1u) == gridDim.x - 1;"},
    {"ticket_of_one_size", "state", "last = atomicAdd(&ticket, 1u) % gridDim.x == gridDim.x - 1;"},
    {"ticket_wraps", "state", "last = (atomicAdd(&ticket, 1u) & 0xffff) % gridDim.x == grid"},
    {"times_zero", "unset", "y[i] = 2.0f * x[i] + 0.0f * y[i];"},
    {"total_grows", "race", "y[i] = 2.0f * x[i] + grown;"},
    {"total_grows", "state", "grown = grown + 1.0f;"},
    {"two_shorts", "alignment", "unsigned int v = *(const volatile unsigned int *)(x + i);"},
    {"unsigned_max", "unset", "y[i] = max(y[i], x[i] + 1);"},
    {"unsigned_min", "unset", "y[i] = min(y[i], x[i] + 1);"},
    {"within_a_warp", "race", "y[i] = ((volatile float *)held)[threadIdx.x ^ 1];"},
    {"writes_between", "bounds", "float kept = *before;"},
    {"writes_between", "unset", "float kept = *before;"},
    {"zero_assumed", "unset", "atomicAdd(&y[i], 2.0f * x[i]);"},
    {"zero_ends", "unset", "if (__float_as_uint(y[i]) != 0) {"},
};
enum { PLANTED_COUNT = sizeof planted / sizeof *planted };

static char **wanted;
static int wanted_count;

/* ---- what a check tells ---- */

typedef struct told {
    const struct planted *expected; /* NULL: nothing */
    char lines[512][160];           /* of the source */
    uint32_t variants;
    bool found;
    int alarms;
} told;

static int on_finding(void *user, const gputune_finding *finding)
{
    told *t = user;
    if (!strcmp(finding->kind, "checked")) {
        t->variants++;
        return 0;
    }
    if (!strcmp(finding->kind, "launch")) { /* the emulator's registers do not suffice for it */
        return 0;
    }
    if (!t->expected || !strstr(finding->configuration, "BAD=1")) {
        print_error("%s %s, %s:%u: %s: %s %s\n", finding->kernel, finding->configuration,
                    finding->file, finding->line, finding->kind, finding->where, finding->message);
        t->alarms++;
        return 0;
    }
    bool here = finding->line && finding->line < 512 &&
                strstr(t->lines[finding->line], t->expected->text) &&
                !strcmp(finding->kind, t->expected->kind);
    t->found |= here;
    if (here) {
        assert_non_null(strstr(finding->file, t->expected->name));
        assert_true(finding->count > 0);
        assert_true(strncmp(finding->thread, "block (", 7) == 0);
    }
    return 0;
}

static void read_source(told *t, const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int i = 1; i < 512 && fgets(t->lines[i], sizeof t->lines[i], file); i++) {
        continue;
    }
    fclose(file);
}

/* As the template has them, or smaller ones where these would take the emulator long. */
static gputune_sizes sizes_of(const char *path)
{
    static const gputune_size pairs[] = {{"m", 200}, {"n", 200}}, keys[] = {{"n", 1024}};
    return strstr(path, "/expdist.cu")   ? (gputune_sizes){2, pairs}
           : strstr(path, "/bitonic.cu") ? (gputune_sizes){1, keys}
                                         : (gputune_sizes){0};
}

static void check(told *t, gputune *tuner, const char *path, uint32_t most)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.time_limit_s = 600;
    options.max_variants = most;
    if (gputune_check(tuner, path, sizes_of(path), &options, on_finding, t) < 0) {
        print_error("%s: %s\n", path, gputune_error());
        t->alarms++;
    }
}

static bool is_wanted(const char *name, int index, int every)
{
    for (int i = 0; i < wanted_count; i++) {
        if (!strcmp(wanted[i], name)) {
            return true;
        }
    }
    return wanted_count == 0 && (index % every == 0 || getenv("GPUTUNE_TEST_LONG"));
}

/* ---- planted mistakes ---- */

TEST(test_planted_mistakes)
{
    int missed = 0;
    gputune *tuner = tuner_open(world.database);
    for (int i = 0; i < PLANTED_COUNT; i++) {
        if (!is_wanted(planted[i].name, i, 9)) {
            continue;
        }
        char path[300];
        told *t = calloc(1, sizeof *t);
        t->expected = &planted[i];
        snprintf(path, sizeof path, "tests/faulty/%s.cu", planted[i].name);
        read_source(t, path);
        check(t, tuner, path, 0);
        if (!t->found || t->alarms || t->variants != 2) {
            print_error("%s: %s at '%s' was %s, with %d false alarms in %u variants\n",
                        planted[i].name, planted[i].kind, planted[i].text,
                        t->found ? "found" : "missed", t->alarms, t->variants);
            missed++;
        }
        free(t);
    }
    gputune_close(tuner);
    assert_int_equal(missed, 0);
}

/* ---- false alarms ---- */

/* All that comes with gputune, but for kernels that the emulator lacks instructions for. */
static const char *const lacking[] = {"templates/gemm_bf16.cu"};
static const char *const right[] = {
    "templates/copy.cu",
    "templates/axpy.cu",
    "templates/gather.cu",
    "templates/gemm.cu",
    "templates/histogram.cu",
    "templates/paramsum.cu",
    "templates/dot.cu",
    "templates/gemv.cu",
    "templates/lincomb.cu",
    "templates/polynomial.cu",
    "templates/reduce.cu",
    "templates/rmsnorm.cu",
    "templates/scan.cu",
    "templates/softmax.cu",
    "templates/stencil2d.cu",
    "templates/stencil2d_steps.cu",
    "templates/stencil3d.cu",
    "templates/stencil3d_steps.cu",
    "templates/transpose.cu",
    "examples/axpy_typed.cu",
    "examples/bias.cu",
    "examples/block_reduce.cu",
    "examples/convolution.cu",
    "examples/coulomb.cu",
    "examples/convolution_tiled.cu",
    "examples/expdist.cu",
    "examples/hash.cu",
    "examples/matmul.cu",
    "examples/nbody.cu",
    "examples/normalise.cu",
    "examples/pnpoly.cu",
    "examples/reduction.cu",
    "examples/resize.cu",
    "examples/sepconv.cu:convolve_rows",
    "examples/sepconv.cu:convolve_columns",
    "examples/softmax.cu",
    "examples/spmv.cu",
    "examples/stencil.cu",
    "examples/vector_add.cu",
    "examples/zeromeanfilter.cu:zero_mean_columns",
    "examples/zeromeanfilter.cu:zero_mean_rows",
    "examples/bitonic.cu",
};

static bool is_listed(const char *path, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(list[i], ":"); /* a kernel of the file may be named */
        if (strlen(path) == length && !strncmp(path, list[i], length)) {
            return true;
        }
    }
    return false;
}

TEST(test_all_are_listed)
{
    glob_t found;
    assert_int_equal(glob("templates/*.cu", 0, NULL, &found), 0);
    assert_int_equal(glob("examples/*.cu", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!is_listed(found.gl_pathv[i], right, sizeof right / sizeof *right) &&
            !is_listed(found.gl_pathv[i], lacking, sizeof lacking / sizeof *lacking)) {
            fail_msg("%s is not checked for false alarms", found.gl_pathv[i]);
        }
    }
    globfree(&found);
}

TEST(test_no_false_alarms)
{
    int alarms = 0;
    gputune *tuner = tuner_open(world.database);
    for (int i = 0; i < (int)(sizeof right / sizeof *right); i++) {
        if (is_wanted(right[i], i, 9)) {
            told *t = calloc(1, sizeof *t);
            check(t, tuner, right[i], getenv("GPUTUNE_TEST_LONG") ? 8 : 2);
            alarms += t->alarms;
            free(t);
        }
    }
    gputune_close(tuner);
    assert_int_equal(alarms, 0);
}

/* ---- what is refused ---- */

TEST(test_only_on_the_emulator)
{
    if (strncmp(world_driver(), "emu", 3) == 0) {
        skip();
    }
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    assert_int_equal(gputune_check(tuner, "axpy", (gputune_sizes){0}, NULL, on_finding, NULL),
                     GPUTUNE_EUNSUPPORTED);
}

int main(int argc, char **argv)
{
    wanted = argv + 1;
    wanted_count = argc - 1;
    return tests_run(open_device, world_close);
}
