/* Tests which variants are accepted, which are refused with which message, and which crash. */
#include "measure_world.h"

#include <time.h>

static void assert_wrong(const char *text, const char *message)
{
    gt_verified verified;
    ASSERT_FAILS(verify(&verified, 99, text), GPUTUNE_EWRONG, message);
}

static void assert_right(const char *text)
{
    verify_ok(98, text);
}

TEST_ON_DEVICE(a_right_variant_is_accepted)
{
    gt_verified verified;
    prepare(make_setup("axpy_reference"));
    must(verify(&verified, 1, RIGHT));
    assert_true(verified.max_error == 0);
    assert_true(verified.pilot_ns > 0);
    assert_true(verified.occupancy > 0 && verified.occupancy <= 1);
}

TEST_ON_DEVICE(errors_within_the_tolerance_are_accepted_and_reported)
{
    gt_verified verified;
    prepare(make_setup("axpy_reference"));
    must(
        verify(&verified, 1, VARIANT("if (i < n) { y[i] += a * x[i]; y[i] += y[i] * 0x1p-22f; }")));
    assert_true(verified.max_error > 0 && verified.max_error <= 1);
}

TEST_ON_DEVICE(a_wrong_value_is_reported_with_its_place)
{
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i] + (i == 123 ? 1 : 0);"), "y[123] is ");
    assert_wrong(VARIANT("if (i < n && i != 9972) y[i] += a * x[i];"), "y[9972] is ");
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == 7) y[i] = 0.0f / 0.0f;"),
                 "y[7] is ");
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == 8) y[i] = 1.0f / 0.0f;"),
                 "y[8] is inf");
    assert_right(RIGHT);
}

/* Skipped on the emulator, which ends such a kernel (see tests/cli/cases/real-out-of-range.sh). */
TEST_ON_DEVICE(bytes_beyond_a_buffer_are_guarded)
{
    SKIP_IF(gt_measure_device(world.measure)->emulated);
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == n) y[n] = 1;"), "after y");
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == 0) y[-1] = 1;"),
                 "from it; is a length in args() too small, or a require() missing?");
    assert_right(RIGHT);
}

TEST_ON_DEVICE(inputs_must_stay_as_they_are)
{
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) { y[i] += a * x[i]; x[i] = 0; }"), "x, an input, was changed");
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i == 3) x[3] = 1; if (i < n) y[i] += a * x[i];"),
                 "x, an input, was changed");
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i == 3 && n == 10000) x[3] = 1; if (i < n) y[i] += a * x[i];"),
                 "y[3] is ");
    assert_right(RIGHT);
}

TEST_ON_DEVICE(results_are_compared_with_a_reference_in_double)
{
    gt_verified verified;
    gt_measure_setup *setup = make_setup("exact");
    for (int i = 0; i < 2; ++i) {
        gt_workload *workload = &setup->workloads[i];
        workload->buffers[0].reference_type = GT_TYPE_F64;
        workload->has_scale = true;
        workload->tolerance = (gt_tolerance){.stol = 2e-7, .stated = true};
        workload->reference.parameter_count = 5;
        workload->reference.parameters[4] =
            (gt_parameter){.kind = GT_PARAMETER_BUFFER,
                           .bytes = 8,
                           .argument = (int)workload->reference.argument_count++,
                           .scratch_bytes = 8 * workload->buffers[0].elements};
        gt_launch_take_all(&workload->reference);
    }
    prepare(setup);
    must(verify(&verified, 1, RIGHT));
    assert_true(verified.max_error > 0 && verified.max_error <= 1);
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i] * 1.0001f;"), "would accept");
}

/* A variant that writes to the expected results must not make other variants wrong. */
static void assert_stray_is_noticed(void)
{
    char text[512];
    gt_verified verified;
    snprintf(text, sizeof text,
             VARIANT("if (i < n) y[i] += a * x[i]; if (i == 0) *(float *)%lluull = 9;"),
             (unsigned long long)world.measure->workspaces[1].slots[0].expected);
    ASSERT_FAILS(verify(&verified, 99, text), GPUTUNE_ECRASHED,
                 "memory far from its buffers was overwritten: y[0] is ");
    assert_true(world.measure->lost);
    world.measure->lost = false;
}

TEST_ON_DEVICE(without_a_reference_the_first_variant_is_one)
{
    prepare(make_setup(NULL));
    verify_ok(1, RIGHT);
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i < n) y[i] -= a * x[i];"), "y[0] is ");
    assert_stray_is_noticed();
}

/* Makes y write-only, so unwritten elements contain poison. */
static gt_measure_setup *make_out_setup(const char *reference)
{
    gt_measure_setup *setup = make_setup(reference);
    for (int i = 0; i < 2; ++i) {
        setup->workloads[i].buffers[0].direction = GT_OUT;
    }
    return setup;
}

TEST_ON_DEVICE(unwritten_elements_are_refused)
{
    prepare(make_out_setup(NULL));
    assert_wrong(VARIANT("if (i < n && i != 5) y[i] = a * x[i];"), "y[5] is written neither");
    assert_right(VARIANT("if (i < n) y[i] = a * x[i];"));
    assert_wrong(VARIANT("if (i < n && i != 5) y[i] = a * x[i];"),
                 "y[5] is 0 or not written, expected -");
    /* an integer buffer may contain the poison as a correct value */
    gt_measure_setup *setup = make_out_setup(NULL);
    for (int i = 0; i < 2; ++i) {
        setup->workloads[i].buffers[0].type = GT_TYPE_I32;
    }
    prepare(setup);
    assert_wrong(VARIANT("if (i < n && i != 5) ((int *)y)[i] = i;"),
                 "y[5] is written neither by this variant nor by the default variant");
}

TEST_ON_DEVICE(elements_that_the_reference_omits_must_stay_unwritten)
{
    prepare(make_out_setup("half_of_it"));
    assert_right(VARIANT("if (i < n / 2) y[i] = a * x[i];"));
    assert_wrong(VARIANT("if (i <= n / 2) y[i] = a * x[i];"), "y[4986] is ");
    assert_wrong(VARIANT("if (i < n / 2 && i != 5) y[i] = a * x[i];"), "y[5] is 0 or not written");
}

/* A variant that runs `statement`, which may read `seen`: how many blocks have ended in all
 * launches so far. Only blocks for which `count` is true are counted. A launch has 79 blocks at the
 * requested size and 78 at the odd-tail size. */
#define COUNTING(count, statement)                                                                 \
    "__device__ unsigned ended;" VARIANT("unsigned seen = *(volatile unsigned *)&ended;" statement \
                                         " __syncthreads(); if (threadIdx.x == 0 && " count        \
                                         ") atomicAdd(&ended, 1u);")

TEST_ON_DEVICE(a_second_launch_must_be_right_too)
{
    prepare(make_setup("axpy_reference"));
    assert_wrong(
        COUNTING("true", "if (i < n) { y[i] += a * x[i]; if (seen >= 79 + 78) y[i] += 1; }"),
        "in a second launch, after a correct first one");
    assert_right(COUNTING("true", "if (i < n) y[i] += a * x[i];"));
}

/* Only the last proof launches twice at the requested size. The variant is wrong the second
 * time. */
TEST_ON_DEVICE(a_winner_must_be_right_in_a_second_launch)
{
    prepare(make_setup("axpy_reference"));
    assert_right(COUNTING(
        "n == 10000", "if (i < n) { y[i] += a * x[i]; if (n == 10000 && seen >= 79) y[i] += 1; }"));
    ASSERT_FAILS(recheck(98, 4711), GPUTUNE_EWRONG, "y[0] is ");
}

static const gt_sample_job samples_of_one = {
    .id = 1, .variants = &(const uint64_t){98}, .count = 1};

TEST_ON_DEVICE(a_winner_must_be_right_after_its_race)
{
    gt_sampled sampled = {0};
    prepare(make_setup("axpy_reference"));
    assert_right(COUNTING("true", "if (i < n) { y[i] += a * x[i]; if (seen > 400) y[i] += 1; }"));
    for (int i = 0; i < 3; ++i) {
        must(gt_measure_sample(world.measure, &samples_of_one, &sampled));
        free(sampled.values);
        world.measure->variants->modelled[GPUTUNE_OBJECTIVE_KERNEL] = 0; /* launch again */
    }
    ASSERT_FAILS(recheck(98, 4711), GPUTUNE_EWRONG,
                 "after the race, although it was correct before");
    assert_non_null(strstr(gt_message(), "outside its buffers"));
}

TEST_ON_DEVICE(damaged_memory_is_restored)
{
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) { y[i] += a * x[i]; x[i] = 0; }"), "x, an input, was changed");
    assert_right(RIGHT);
    assert_stray_is_noticed();
}

/* true on devices that do not report accesses outside of allocations */
static bool unwatched;

/* Makes a job for a variant of axpy with an additional scratch parameter. */
static void make_scratch_job(gt_verify_job *job, const char *text, uint64_t bytes)
{
    *job = (gt_verify_job){.id = 97, .image = compile(text)};
    for (int i = 0; i < 2; ++i) {
        job->launches[i] = launch_of("axpy", i == 0 ? N : ODD_TAIL);
        job->launches[i].parameter_count = 5;
        job->launches[i].parameters[4] = (gt_parameter){
            .kind = GT_PARAMETER_SCRATCH, .bytes = 8, .argument = -1, .scratch_bytes = bytes};
        gt_launch_take_all(&job->launches[i]);
    }
}

static gputune_status verify_with_scratch(const char *text)
{
    static gt_verify_job job;
    gt_verified verified;
    make_scratch_job(&job, text, 64);
    bool emulated = world.measure->device.emulated;
    world.measure->device.emulated = emulated && !unwatched;
    gputune_status status = gt_measure_verify(world.measure, &job, &verified);
    world.measure->device.emulated = emulated;
    free(job.image.data);
    return status;
}

#define WITH_SCRATCH(statement)                                                                    \
    "extern \"C\" __global__ void axpy(float *y, float *x, float a, size_t n, int *s) {"           \
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;" statement "}"

TEST_ON_DEVICE(scratch_memory_holds_nothing_that_helps)
{
    prepare(make_setup("axpy_reference"));
    must(verify_with_scratch(WITH_SCRATCH("if (i == 0) s[3] = 7; if (i < n) y[i] += a * x[i];")));
    /* relies on zeros */
    assert_int_equal(
        verify_with_scratch(WITH_SCRATCH("if (i < n) { y[i] += a * x[i]; if (s[3]) y[i] += 1; }")),
        GPUTUNE_EWRONG);
    /* this variant expects that its block counter in scratch memory is zero at first */
    ASSERT_FAILS(verify_with_scratch(
                     WITH_SCRATCH("bool late = *(volatile unsigned *)s + 1u >= gridDim.x;"
                                  "if (i < n) { y[i] += a * x[i]; if (late) y[i] += 1; }"
                                  "__syncthreads(); if (threadIdx.x == 0) atomicAdd(s, 1);")),
                 GPUTUNE_EWRONG, "in a second launch, after a correct first one");
}

TEST_ON_DEVICE(bytes_around_scratch_memory_are_guarded)
{
    static const char *const outside[] = {
        WITH_SCRATCH("if (i == 0) s[16] = 7; if (i < n) y[i] += a * x[i];"),
        WITH_SCRATCH("if (i == 0) s[-1] = 7; if (i < n) y[i] += a * x[i];"),
        WITH_SCRATCH("if (i < 256) s[16 + i] = 0; if (i < n) y[i] += a * x[i];")};
    prepare(make_setup("axpy_reference"));
    unwatched = true;
    for (int i = 0; i < 3; i++) {
        ASSERT_FAILS(verify_with_scratch(outside[i]), GPUTUNE_EWRONG,
                     i == 1 ? "before scratch" : "after scratch");
    }
    must(verify_with_scratch(WITH_SCRATCH("if (i == 0) s[15] = 7; if (i < n) y[i] += a * x[i];")));
    unwatched = false;
}

TEST_ON_DEVICE(shared_memory_holds_nothing_that_helps)
{
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("__shared__ volatile int s[128];"
                         "if (i < n) { y[i] += a * x[i]; if (s[threadIdx.x] != 0) y[i] += 1; }"),
                 "] is ");
    assert_right(VARIANT("__shared__ volatile int s[128]; s[threadIdx.x] = 0;"
                         "if (i < n) { y[i] += a * x[i]; if (s[threadIdx.x] != 0) y[i] += 1; }"));
}

/* Garbage must include small and large values, zero and NaN. */
TEST_ON_DEVICE(shared_memory_holds_all_kinds_of_garbage)
{
    static const char *const helps[] = {"!(s[threadIdx.x] < -1e9f)", "!(s[threadIdx.x] > 1e9f)",
                                        "s[threadIdx.x] != 0", "s[threadIdx.x] == s[threadIdx.x]"};
    prepare(make_setup("axpy_reference"));
    for (size_t i = 0; i < sizeof helps / sizeof *helps; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 VARIANT("__shared__ volatile float s[128];"
                         "if (i < n) { y[i] += a * x[i]; if (!(%s)) y[i] += 1; }"),
                 helps[i]);
        assert_wrong(text, "] is ");
    }
}

TEST_ON_DEVICE(a_check_kernel_replaces_the_comparison)
{
    gt_measure_setup *setup = make_setup(NULL);
    for (int i = 0; i < 2; ++i) {
        gt_workload *workload = &setup->workloads[i];
        workload->has_check = true;
        workload->check = launch_of("judge", workload->buffers[0].elements);
        workload->check.parameter_count = 5;
        workload->check.parameters[4] =
            (gt_parameter){.kind = GT_PARAMETER_BUFFER,
                           .bytes = 8,
                           .argument = (int)workload->check.argument_count++};
        gt_launch_take_all(&workload->check);
    }
    prepare(setup);
    assert_right(RIGHT);
    assert_right(VARIANT("if (i < n) y[i] = 3;"));
    assert_wrong(VARIANT("if (i < n) y[i] = i < 5 ? 4 : 3;"), "found 5 wrong elements");
}

TEST_ON_DEVICE(a_winner_is_checked_again_with_another_seed)
{
    prepare(make_setup("axpy_reference"));
    verify_ok(1, RIGHT);
    must(recheck(1, 4711));
    assert_int_equal(world.measure->seed, 4711);
    assert_right(RIGHT);
    assert_int_equal(world.measure->seed, 42);
    assert_true(recheck(5, 1) < 0);
}

TEST_ON_DEVICE(the_time_of_a_first_launch_excludes_the_data_proof)
{
    gt_verified first, second;
    gt_prepared prepared = {0};
    const gt_measure_setup *setup = make_setup("slowly");
    must(gt_measure_prepare(world.measure, setup, &prepared));
    must(gt_measure_try(world.measure, setup, &prepared));
    must(verify(&first, 1, RIGHT));
    must(gt_measure_recheck(world.measure, &(gt_recheck_job){1, 42, 1}, &second));
    free(second.single);
    must(verify(&second, 1, RIGHT));
    if (gt_measure_device(world.measure)->emulated) {
        assert_true(second.pilot_ns == first.pilot_ns);
    }
}

/* The variant is wrong only if all inputs are zero, which only the last proof of a winner tries. */
#define FAIL_FOR_ZERO                                                                              \
    "if (i < n) y[i] = x[0] || x[1] || x[n / 3] || x[n / 2] || x[n - 1] ? y[i] + a * x[i] : 7;"
#define WRONG_FOR_ZERO VARIANT(FAIL_FOR_ZERO)

/* If not 0, each reading of the clock advances it by this amount. */
static clock_t clock_step;

/* Replaces clock(), because on the emulator the time limit of experiments is CPU time. */
clock_t clock(void)
{
    static clock_t slow;
    struct timespec used;
    if (clock_step) {
        return slow += clock_step;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

/* With these data, a winner's last proof would take longer than the time reserved for it. */
TEST_ON_DEVICE(data_of_a_slow_reference_are_left_out_if_time_is_short)
{
    gt_verified verified;
    gt_prepared prepared = {0};
    const gt_measure_setup *setup = make_setup("slowly");
    must(gt_measure_prepare(world.measure, setup, &prepared));
    must(gt_measure_try(world.measure, setup, &prepared));
    must(verify(&verified, 1, RIGHT));
    must(verify(&verified, 98, WRONG_FOR_ZERO));
    if (gt_measure_device(world.measure)->emulated) { /* a GPU is fast enough to try the data */
        must(gt_measure_recheck(world.measure, &(gt_recheck_job){98, 42, 0.005}, &verified));
        free(verified.single);
    }
    clock_step = CLOCKS_PER_SEC / 1000;
    gputune_status status = recheck(98, 42);
    clock_step = 0;
    assert_int_equal(status, GPUTUNE_EWRONG);
}

/* The default is dropped before all data were tried with it. */
TEST_ON_DEVICE(data_that_the_default_did_not_try_refuse_no_winner)
{
    static gt_verify_job job;
    gt_verified verified;
    gt_prepared prepared = {0};
    const gt_measure_setup *setup = make_setup("axpy_reference");
    must(gt_measure_prepare(world.measure, setup, &prepared));
    must(gt_measure_try(world.measure, setup, &prepared));
    make_scratch_job(&job, WITH_SCRATCH(FAIL_FOR_ZERO), 2 << 20);
    job.standard = true;
    clock_step = CLOCKS_PER_SEC;
    must(gt_measure_verify(world.measure, &job, &verified));
    clock_step = 0;
    free(verified.single);
    free(job.image.data);
    gt_measure_drop(world.measure, job.id);
    must(verify(&verified, 98, WRONG_FOR_ZERO));
    must(recheck(98, 42));
}

/* The reference may be slow, so it runs only once if its results are not finite. */
TEST_ON_DEVICE(data_that_give_nothing_finite_end_with_the_references_first_run)
{
    gt_prepared prepared = {0};
    gt_measure_setup *setup = make_setup("once");
    setup->workloads[0].buffers[1].free = setup->workloads[1].buffers[1].free = true;
    must(gt_measure_prepare(world.measure, setup, &prepared));
    must(gt_measure_try(world.measure, setup, &prepared));
    verify_ok(1, RIGHT);
    assert_wrong(VARIANT("if (i < n) y[i] += 1.5f * x[i];"), "with inputs with extremes");
}

static pid_t crasher;

/* Crashes a kernel in this process. Returns 0, or the line of the check that failed. */
static int crash(void)
{
    static gt_measure_setup *setup;
    gt_verified verified;
    gt_prepared prepared;
    open_world(NULL);
    if (!world.measure) {
        return 0;
    }
    setup = make_setup("axpy_reference");
    if (gt_measure_prepare(world.measure, setup, &prepared) < 0) {
        return __LINE__;
    }
    if (verify(&verified, 1, VARIANT("y[i + (1ull << 45)] = 1;")) != GPUTUNE_ECRASHED) {
        return __LINE__;
    }
    if (verify(&verified, 2, RIGHT) != GPUTUNE_ECRASHED) {
        return __LINE__;
    }
    gt_measure_close(world.measure);
    return 0;
}

TEST_ON_DEVICE(a_crash_is_reported_and_loses_the_process)
{
    int status = 0;
    assert_int_equal(waitpid(crasher, &status, 0), crasher);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The kernel restores the input that it changes, so comparing inputs does not reveal the change. */
TEST_ON_DEVICE(a_winner_cannot_write_its_inputs)
{
    prepare(make_setup("axpy_reference"));
    assert_right(VARIANT("if (i < n) y[i] += a * x[i];"
                         "if (i == 0) { volatile float *at = x; float kept = *at;"
                         "  *at = 0; *at = kept; }"));
    ASSERT_FAILS(recheck(98, 4711), GPUTUNE_ECRASHED, "inputs that cannot be written");
    assert_true(!gt_measure_device(world.measure)->emulated ||
                strstr(gt_message(), "in input x of "));
}

static void start_crasher(void)
{
    crasher = fork();
    if (crasher == 0) {
        int line = crash();
        if (line != 0) {
            fprintf(stderr, "line %d: %s\n", line, gt_message());
        }
        _exit(line != 0);
    }
}

int main(void)
{
    start_crasher();
    return tests_run(open_world, close_world);
}
