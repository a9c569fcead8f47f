/* Tests taking samples of variants, with every objective and every way to pass parameter blocks. */
#include "measure_world.h"

static void sample(gputune_objective objective, bool quick)
{
    const uint64_t ids[] = {2, 1, 77};
    gt_sampled sampled = {0};
    gt_sample_job job = {.variants = ids,
                         .count = 3,
                         .objective = objective,
                         .length = quick ? GT_SAMPLE_QUICK : GT_SAMPLE_FULL};
    must(gt_measure_sample(world.measure, &job, &sampled));
    assert_int_equal(sampled.count, 3);
    assert_true(sampled.values[0] > 0 && sampled.values[1] > 0);
    assert_true(isnan(sampled.values[2]));
    free(sampled.values);
}

enum { BLOCK_INTS = 1500, BY_VALUE_INTS = 1000 };

#define BLOCK_SUM(parameters, item)                                                                \
    "extern \"C\" __global__ void sum(" parameters ") {"                                           \
    "  int total = 0; for (int i = threadIdx.x; i < 1500; i += blockDim.x) total += " item ";"     \
    "  atomicAdd(out, total); }"
#define SPLIT_BLOCK                                                                                \
    "struct part { int items[1000]; }; __constant__ int gputune_pass_constant_c[500];"

static const struct {
    gt_pass pass;
    uint32_t by_value_bytes, parameter_bytes;
    const char *text;
} passes[] = {
    {GT_PASS_VALUE, 4 * BLOCK_INTS, 4 * BLOCK_INTS,
     "struct whole { int items[1500]; };" BLOCK_SUM("const __grid_constant__ whole c, int *out",
                                                    "c.items[i]")},
    {GT_PASS_SPLIT, 4 * BY_VALUE_INTS, 4 * BY_VALUE_INTS,
     SPLIT_BLOCK BLOCK_SUM("const __grid_constant__ part c, int *out",
                           "(i < 1000 ? c.items[i] : gputune_pass_constant_c[i - 1000])")},
    {GT_PASS_CONSTANT, 0, 0,
     "__constant__ int gputune_pass_constant_c[1500];" BLOCK_SUM("int *out",
                                                                 "gputune_pass_constant_c[i]")},
    {GT_PASS_GLOBAL, 0, 8, BLOCK_SUM("const int *c, int *out", "c[i]")},
};

static gt_launch sum_launch(const char *entry, gt_pass pass, uint32_t by_value, uint32_t bytes)
{
    gt_launch launch = launch_of(entry, 1);
    launch.block_count = 1;
    launch.blocks[0] = (gt_block){pass, 4 * BLOCK_INTS, by_value, GT_PASS_SYMBOL "c", false};
    launch.argument_count = 2;
    launch.parameter_count = 0;
    if (bytes) {
        launch.parameters[launch.parameter_count++] =
            (gt_parameter){.kind = GT_PARAMETER_BLOCK, .bytes = bytes};
    }
    launch.parameters[launch.parameter_count++] =
        (gt_parameter){.kind = GT_PARAMETER_BUFFER, .bytes = 8, .argument = 1};
    launch.parameters[launch.parameter_count - 1].clear_bytes = 4;
    gt_launch_take_all(&launch);
    return launch;
}

static gt_measure_setup *block_setup(gt_image reference)
{
    gt_measure_setup *setup = make_setup("axpy_reference");
    gt_workload *workload = &setup->workloads[0];
    setup->reference = reference;
    setup->workload_count = 1;
    *workload = (gt_workload){.block_count = 1, .argument_count = 1, .buffer_count = 1};
    workload->blocks[0] = (gt_buffer){.type = GT_TYPE_I32,
                                      .fill = GT_FILL_UNIFORM,
                                      .low = -1000,
                                      .high = 1000,
                                      .elements = BLOCK_INTS,
                                      .bytes = 4 * BLOCK_INTS};
    workload->arguments[0].is_buffer = true;
    workload->buffers[0] = (gt_buffer){.name = "out",
                                       .type = GT_TYPE_I32,
                                       .reference_type = GT_TYPE_I32,
                                       .direction = GT_OUT,
                                       .elements = 1,
                                       .bytes = 4};
    workload->has_reference = true;
    workload->reference = sum_launch("sum", GT_PASS_GLOBAL, 0, 8);
    return setup;
}

TEST_ON_DEVICE(blocks_reach_the_kernel_in_every_way)
{
    static gt_verify_job job;
    gt_verified verified;
    gt_image reference = compile(passes[3].text);
    prepare(block_setup(reference));
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; ++i) {
        job = (gt_verify_job){.id = 1 + i % 2, .image = compile(passes[i].text)};
        job.launches[0] =
            sum_launch("sum", passes[i].pass, passes[i].by_value_bytes, passes[i].parameter_bytes);
        must(gt_measure_verify(world.measure, &job, &verified));
        free(job.image.data);
        if (i % 2) {
            sample(GPUTUNE_OBJECTIVE_KERNEL, false);
            sample(GPUTUNE_OBJECTIVE_LAUNCH, true);
            must(gt_measure_recheck(world.measure, &(gt_recheck_job){1 + i % 2, 5, 1}, &verified));
            free(verified.single);
            sample(GPUTUNE_OBJECTIVE_KERNEL, true);
        }
    }
    free(reference.data);
}

static void prepare_cached(gputune_cache cache)
{
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->cache = cache;
    prepare(setup);
}

TEST_ON_DEVICE(every_objective_gives_times)
{
    for (int cache = GPUTUNE_CACHE_COLD; cache <= GPUTUNE_CACHE_HOT; ++cache) {
        prepare_cached((gputune_cache)cache);
        verify_ok(1, RIGHT);
        verify_ok(2, RIGHT);
        sample(GPUTUNE_OBJECTIVE_KERNEL, true);
        sample(GPUTUNE_OBJECTIVE_KERNEL, false);
        sample(GPUTUNE_OBJECTIVE_KERNEL, false);
        sample(GPUTUNE_OBJECTIVE_LAUNCH, true);
        sample(GPUTUNE_OBJECTIVE_LAUNCH, false);
        sample(GPUTUNE_OBJECTIVE_LATENCY, true);
    }
    gt_measure_drop(world.measure, 1);
    gt_current current = {0};
    gt_measure_attend(world.measure, &current);
    const uint64_t id = 1;
    gt_sampled sampled;
    gt_sample_job job = {.variants = &id, .count = 1};
    assert_true(gt_measure_sample(world.measure, &job, &sampled) < 0);
    gt_measure_attend(world.measure, NULL);
    assert_int_equal(current.hand.variant, 1);
}

/* |y| begins below 1, a launch adds at most 1.5, and a sample launches at most 257 times on one set
 * of buffers. Values above 600 therefore show that an earlier sample changed the inputs. */
TEST_ON_DEVICE(every_sample_begins_with_the_inputs_as_they_were)
{
    enum { SAMPLES = 60 };
    for (int cache = GPUTUNE_CACHE_COLD; cache <= GPUTUNE_CACHE_HOT; ++cache) {
        prepare_cached((gputune_cache)cache);
        verify_ok(1, VARIANT("if (i < n) { if (fabsf(y[i]) > 1 + 1.5f * 600) __trap();"
                             " y[i] += a * x[i]; }"));
        verify_ok(2, RIGHT);
        for (int i = 0; i < SAMPLES; ++i) {
            sample(i % 3 ? GPUTUNE_OBJECTIVE_KERNEL : GPUTUNE_OBJECTIVE_LATENCY, i % 2);
        }
    }
}

static gt_sharing sharing_by(uint64_t judge, gt_sharing known)
{
    const uint64_t id = 1;
    gt_sampled sampled = {0};
    gt_sample_job job = {.variants = &id,
                         .count = 1,
                         .objective = GPUTUNE_OBJECTIVE_LAUNCH,
                         .sharing = known,
                         .judge = judge};
    must(gt_measure_sample(world.measure, &job, &sampled));
    assert_true(sampled.values[0] > 0);
    assert_true((sampled.used_ratio == 1) == (known || sampled.sharing == GT_SHARING_HARMLESS));
    free(sampled.values);
    return sampled.sharing;
}

/* |y| is below 1 in the first launch and grows in later launches. The first thread of each block
 * works on all elements with |y| <= 1. The launch time therefore depends on their number, on a GPU,
 * too. */
TEST_ON_DEVICE(launches_share_buffers_if_that_makes_no_difference)
{
    prepare_cached(GPUTUNE_CACHE_HOT);
    verify_ok(1, RIGHT);
    verify_ok(2,
              VARIANT("float sum = 0; if (threadIdx.x == 0)"
                      " for (auto k = i; k < n && k < i + blockDim.x; k++)"
                      " if (fabsf(y[k]) <= 1) for (int j = 0; j < 400; j++) sum = sum * a + y[k];"
                      " __syncthreads();"
                      " if (i < n) { y[i] += a * x[i]; if (sum == 0.1f) y[i] = 1; }"));
    assert_int_equal(sharing_by(1, GT_SHARING_UNKNOWN), GT_SHARING_HARMLESS);
    assert_int_equal(sharing_by(2, GT_SHARING_UNKNOWN), GT_SHARING_FELT);
    assert_int_equal(sharing_by(2, GT_SHARING_HARMLESS), GT_SHARING_HARMLESS);
    assert_int_equal(sharing_by(1, GT_SHARING_FELT), GT_SHARING_FELT);
    verify_ok(2, RIGHT); /* variant 2 needs buffers with their initial values */
}

static gt_loaded *sample_as_a_graph(gt_sample_length length)
{
    gt_loaded *variant = gt_loaded_find(world.measure, 1);
    double time_ns;
    assert_non_null(variant);
    world.measure->alone = false;
    world.measure->length = length;
    variant->launch_ns = 12000; /* short launches, so a graph has many of them */
    must(gt_sample_kernel(&time_ns, world.measure, variant));
    return variant;
}

/* The address of a graph's memset data varies, so the next sample needs a new graph. */
TEST_ON_DEVICE(a_graph_that_zeroes_serves_one_sample)
{
    static gt_verify_job job;
    gt_verified verified;
    gt_image image = compile(passes[3].text);
    prepare(block_setup(image));
    job = (gt_verify_job){.id = 1, .image = image};
    job.launches[0] = sum_launch("sum", GT_PASS_GLOBAL, 0, 8);
    must(gt_measure_verify(world.measure, &job, &verified));
    assert_null(sample_as_a_graph(GT_SAMPLE_FULL)->full.exec);
    assert_non_null(sample_as_a_graph(GT_SAMPLE_QUICK)->quick.exec);
    free(image.data);
    prepare_cached(GPUTUNE_CACHE_COLD);
    must(verify(&verified, 1, RIGHT));
    assert_non_null(sample_as_a_graph(GT_SAMPLE_FULL)->full.exec);
}

/* Persisting lines stay in the L2 cache after a launch, so a cold sample must not use the same
 * buffers twice. */
TEST_ON_DEVICE(a_cold_sample_with_persisting_lines_uses_no_buffers_twice)
{
    prepare_cached(GPUTUNE_CACHE_COLD);
    verify_ok(1, RIGHT);
    gt_loaded_find(world.measure, 1)->launches[0].l2.set_aside_bytes = 1024;
    uint32_t sets = world.measure->workspaces[0].sets;
    gt_replay *graph = &sample_as_a_graph(GT_SAMPLE_FULL)->full;
    assert_true(graph->exec ? graph->launches <= sets : sets == 1);
}

/* The host cannot enqueue many kernels fast enough, so a graph launches them. */
TEST_ON_DEVICE(a_launch_of_many_kernels_is_a_graph)
{
    static gt_verify_job job;
    gt_verified verified;
    double time_ns;
    prepare_cached(GPUTUNE_CACHE_COLD);
    must(verify(&verified, 1, RIGHT));
    gt_loaded *variant = gt_loaded_find(world.measure, 1);
    must(gt_sample_single(&time_ns, world.measure, variant));
    assert_null(variant->single.exec);
    job = (gt_verify_job){.id = 2,
                          .image = compile(RIGHT " extern \"C\" __global__ void rest("
                                                 "float *, const float *, float, "
                                                 "unsigned long long) {}")};
    for (int i = 0; i < 2; i++) {
        job.launches[i] = launch_of("rest", i ? ODD_TAIL : N);
        job.launches[i].steps[1] = job.launches[i].steps[0];
        job.launches[i].steps[1].times = 20;
        job.launches[i].step_count = 2;
        memcpy(job.launches[i].steps[0].entry, "axpy", 5);
    }
    must(gt_measure_verify(world.measure, &job, &verified));
    free(job.image.data);
    variant = gt_loaded_find(world.measure, 2);
    must(gt_sample_single(&time_ns, world.measure, variant));
    assert_non_null(variant->single.exec);
    assert_true(time_ns > 0);
}

TESTS_WITHIN(open_world, close_world)
