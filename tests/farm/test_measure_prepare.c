/* Tests the preparation before measuring: the reference, and inputs from fills, from the caller, or
 * from another process. */
#include "measure_world.h"

TEST_ON_DEVICE(inputs_on_the_device_are_those_of_the_host)
{
    static const gt_type types[] = {GT_TYPE_I8,   GT_TYPE_U16,  GT_TYPE_I32, GT_TYPE_U64,
                                    GT_TYPE_F16,  GT_TYPE_BF16, GT_TYPE_F32, GT_TYPE_F64,
                                    GT_TYPE_BOOL, GT_TYPE_E4M3, GT_TYPE_E5M2};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
        for (int fill = GT_FILL_UNIFORM; fill <= GT_FILL_PREFIX; ++fill) {
            gt_measure_setup *setup = make_setup(NULL);
            gt_buffer *x = &setup->workloads[0].buffers[1];
            x->type = x->reference_type = types[k];
            x->bytes = N * gt_type_bytes(types[k]);
            x->fill = (gt_fill_kind)fill;
            x->low = gt_type_is_float(types[k]) ? -0.75 : 3;
            x->high = 77;
            prepare(setup);
            GT_FREED char *expected = malloc(x->bytes), *found = malloc(x->bytes);
            assert_true(expected && found);
            gt_fill_host(expected, NULL, x, gt_fill_seed(42, 1));
            read_device(found, world.measure->workspaces[0].slots[1].address, x->bytes);
            assert_memory_equal(expected, found, x->bytes);
        }
    }
}

/* A reference on the host must get the same inputs as the device. */
TEST_ON_DEVICE(structs_on_the_device_are_those_of_the_host)
{
    enum { NUMBERS = 3, BYTES = 12 };
    gt_measure_setup *setup = make_setup(NULL);
    gt_workload *workload = &setup->workloads[0];
    gt_buffer *x = &workload->buffers[1];
    static const gt_number numbers[NUMBERS] = {
        {.type = GT_TYPE_I16, .fill = GT_FILL_INDEX},
        {.type = GT_TYPE_F32, .offset = 4, .fill = GT_FILL_UNIFORM, .low = -1, .high = 1},
        {.type = GT_TYPE_F32, .offset = 8, .fill = GT_FILL_UNIFORM, .low = 1, .high = 2}};
    static char expected[N * BYTES], found[N * BYTES];
    setup->workload_count = 1;
    x->first_number = workload->number_count;
    memcpy(&workload->numbers[x->first_number], numbers, sizeof numbers);
    workload->number_count += x->number_count = x->per_element = NUMBERS;
    x->elements = NUMBERS * (uint64_t)N;
    x->bytes = sizeof found;
    prepare(setup);
    gt_fill_host(expected, workload, x, gt_fill_seed(42, 1));
    read_device(found, world.measure->workspaces[0].slots[1].address, x->bytes);
    for (size_t i = 0; i < N * BYTES; i += i % BYTES == 1 ? 3 : 1) { /* skips the padding */
        assert_int_equal(expected[i], found[i]);
    }
}

TEST_ON_DEVICE(the_reference_is_timed)
{
    gt_prepared prepared = {0};
    must(gt_measure_prepare(world.measure, make_setup("axpy_reference"), &prepared));
    assert_true(prepared.reference_ns > 0);
    assert_true(prepared.copy_bytes_per_s > 0);
}

TEST_ON_DEVICE(a_restless_reference_is_the_templates_mistake)
{
    gt_prepared prepared;
    ASSERT_FAILS(gt_measure_prepare(world.measure, make_setup("restless"), &prepared),
                 GPUTUNE_ETEMPLATE, "different values of y");
}

TEST_ON_DEVICE(a_reference_may_vary_within_the_tolerance)
{
    gt_prepared prepared = {0};
    prepare(make_setup("nearly"));
    verify_ok(1, RIGHT);
    gt_measure_setup *setup = make_setup("nearly");
    setup->workloads[0].tolerance.rtol = setup->workloads[1].tolerance.rtol = 1e-9;
    ASSERT_FAILS(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_ETEMPLATE,
                 "different values of y");
    assert_non_null(strstr(gt_message(), "rtol = 1e-09"));
}

TEST_ON_DEVICE(a_reference_leaves_its_inputs_alone)
{
    gt_prepared prepared = {0};
    ASSERT_FAILS(gt_measure_prepare(world.measure, make_setup("meddler"), &prepared),
                 GPUTUNE_ETEMPLATE, "meddler");
    if (!strstr(gt_message(), "changes the input 'x'")) {
        assert_non_null(strstr(gt_message(), "different values of y")); /* reported first */
    }
}

/* The setup states no tolerance, so the tolerance is measured. At both sizes it must be a few
 * rounding errors of floats around zero. */
TEST_ON_DEVICE(a_tolerance_that_nobody_stated_is_measured)
{
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->workloads[0].tolerance = setup->workloads[1].tolerance = (gt_tolerance){0};
    prepare(setup);
    for (int i = 0; i < 2; ++i) {
        const gt_tolerance *t = &world.measure->workspaces[i].slots[0].tolerance;
        assert_true(t->rtol == 1e-5 && t->stol == 0);
        assert_true(t->atol > 1e-7 && t->atol < 4e-6);
    }
    gt_verified verified;
    must(verify(&verified, 1, VARIANT("if (i < n) y[i] = __fadd_rn(y[i], __fmul_rn(a, x[i]));")));
    assert_true(verified.max_error > 0 && verified.max_error < 0.5);
    assert_int_equal(verify(&verified, 1, VARIANT("if (i < n) y[i] += a * x[i] + 1e-5f;")),
                     GPUTUNE_EWRONG);
}

TEST_ON_DEVICE(a_missing_reference_is_named)
{
    gt_prepared prepared;
    assert_true(gt_measure_prepare(world.measure, make_setup("nowhere"), &prepared) < 0);
    assert_non_null(strstr(gt_message(), "nowhere"));
}

TEST_ON_DEVICE(too_large_a_size_is_refused_before_anything_is_allocated)
{
    gt_prepared prepared;
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->workloads[0].buffers[0].elements = UINT64_C(1) << 40;
    setup->workloads[0].buffers[0].bytes = UINT64_C(1) << 42;
    ASSERT_FAILS(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EDEVMEM,
                 "smaller size");
}

static CUresult (*real_alloc)(CUdeviceptr *out, size_t bytes);
static size_t least_free;

static CUresult watched_alloc(CUdeviceptr *out, size_t bytes)
{
    size_t available = 0, total = 0;
    const CUresult result = real_alloc(out, bytes);
    assert_int_equal(world.measure->driver->MemGetInfo(&available, &total), CUDA_SUCCESS);
    least_free = available < least_free ? available : least_free;
    return result;
}

/* Prepares the setup, verifies a variant and samples it. Returns the peak of the memory use that
 * the driver reports. */
static size_t peak_of(const gt_measure_setup *setup)
{
    size_t available = 0, total = 0;
    const uint64_t id = 1;
    gt_sampled sampled = {0};
    gt_measure_forget(world.measure);
    assert_int_equal(world.measure->driver->MemGetInfo(&available, &total), CUDA_SUCCESS);
    least_free = available;
    real_alloc = world.measure->limited.MemAlloc;
    world.measure->limited.MemAlloc = watched_alloc;
    prepare(setup);
    must(gt_measure_try(world.measure, setup, &(gt_prepared){0}));
    verify_ok(1, RIGHT);
    must(gt_measure_sample(world.measure,
                           &(gt_sample_job){.variants = &id,
                                            .count = 1,
                                            .objective = GPUTUNE_OBJECTIVE_KERNEL,
                                            .sharing = GT_SHARING_HARMLESS},
                           &sampled));
    free(sampled.values);
    must(recheck(1, 43));
    world.measure->limited.MemAlloc = real_alloc;
    return available - least_free;
}

/* The message states how much memory the tuning needs. This amount must be sufficient. */
TEST_ON_DEVICE(memory_stays_within_the_limit)
{
    gt_prepared prepared;
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->memory_limit_bytes = 1 << 20;
    assert_int_equal(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EDEVMEM);
    const char *needs = strstr(gt_message(), "needs ");
    assert_non_null(needs);
    assert_non_null(strstr(gt_message(), "but the memory limit is 1.0 MB; raise it"));
    const double megabytes = strtod(needs + strlen("needs "), NULL) + 0.1;
    setup->memory_limit_bytes = (uint64_t)(megabytes * (1 << 20));
    const size_t peak = peak_of(setup);
    if (gt_measure_device(world.measure)->emulated) {
        assert_true(peak <= setup->memory_limit_bytes);
        assert_true(peak > setup->memory_limit_bytes / 2);
    }
}

TEST_ON_DEVICE(energy_is_refused_without_a_counter)
{
    gt_prepared prepared;
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->objective = GPUTUNE_OBJECTIVE_ENERGY;
    gputune_status status = gt_measure_prepare(world.measure, setup, &prepared);
    setup->objective = GPUTUNE_OBJECTIVE_KERNEL;
    if (!gt_measure_device(world.measure)->emulated) {
        /* not every GPU has an energy counter */
        assert_true(status == GPUTUNE_OK || status == GPUTUNE_EUNSUPPORTED);
        return;
    }
    ASSERT_FAILS(status, GPUTUNE_EUNSUPPORTED, "no energy counter");
}

TEST_ON_DEVICE(the_callers_inputs_are_used)
{
    static float x[N];
    x[17] = 1000;
    gt_live_input input = {.buffer = 1, .bytes = {x, sizeof x}};
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->inputs = &input;
    setup->input_count = 1;
    prepare(setup);
    verify_ok(1, RIGHT);
    float expected = 0;
    read_device(&expected, world.measure->workspaces[0].slots[0].expected + 17 * 4, 4);
    assert_true(expected > 1400);
    input.bytes.bytes = 12;
    gt_prepared prepared;
    assert_int_equal(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EINVAL);
    setup->inputs = NULL;
}

/* Another process that owns device memory. Start it before this process uses the driver. */
static struct {
    int from, to; /* pipes: the handle arrives at `from`; closing `to` ends the owner */
} owner;

enum { SHARED_OFFSET = 256 };

/* Stores N floats of value 2 at SHARED_OFFSET, sends the handle, and waits until `from` closes. */
static void own_memory(int to, int from)
{
    gt_measure *measure;
    CUdeviceptr memory;
    CUipcMemHandle handle;
    char end;
    static float values[N];
    for (int i = 0; i < N; ++i) {
        values[i] = 2;
    }
    if (gt_measure_open(&measure, driver_name(), 0) == GPUTUNE_OK &&
        gt_measure_attach(measure) == GPUTUNE_OK &&
        measure->driver->MemAlloc(&memory, SHARED_OFFSET + sizeof values) == CUDA_SUCCESS &&
        measure->driver->MemcpyHtoD(memory + SHARED_OFFSET, values, sizeof values) ==
            CUDA_SUCCESS &&
        measure->driver->IpcGetMemHandle(&handle, memory) == CUDA_SUCCESS &&
        write(to, &handle, sizeof handle) == (ssize_t)sizeof handle) {
        (void)!read(from, &end, 1);
    }
    _exit(0);
}

static void start_owner(void)
{
    int answer[2], end[2];
    if (pipe(answer) != 0 || pipe(end) != 0) {
        return;
    }
    if (fork() == 0) {
        close(answer[0]);
        close(end[1]);
        own_memory(answer[1], end[0]);
    }
    close(answer[1]);
    close(end[0]);
    owner.from = answer[0];
    owner.to = end[1];
}

TEST_ON_DEVICE(memory_of_another_process_is_an_input)
{
    gt_live_input input = {.buffer = 1, .is_ipc = true, .offset = SHARED_OFFSET};
    gt_prepared prepared;
    float x = 0;
    if (read(owner.from, input.handle, sizeof input.handle) != (ssize_t)sizeof input.handle) {
        print_message("no memory can be shared here\n");
        skip();
    }
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->inputs = &input;
    setup->input_count = 1;
    prepare(setup);
    verify_ok(1, RIGHT);
    read_device(&x, world.measure->workspaces[0].slots[1].address + 4 * (N - 1), 4);
    assert_true(x == 2);
    input.offset += 4;
    assert_int_equal(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EINVAL);
    close(owner.to);
}

/* Before it searches, a tuning reserves this time for the last proof of the winner. */
TEST_ON_DEVICE(the_time_of_the_winners_data_proof_is_reported)
{
    gt_prepared prepared = {0};
    must(gt_measure_prepare(world.measure, make_setup("axpy_reference"), &prepared));
    must(gt_measure_try(world.measure, make_setup("axpy_reference"), &prepared));
    assert_true(prepared.data_proof_ns > 0);
    must(gt_measure_prepare(world.measure, make_setup(NULL), &prepared));
    must(gt_measure_try(world.measure, make_setup(NULL), &prepared));
    /* a data proof needs a reference */
    assert_true(prepared.data_proof_ns == 0);
}

int main(void)
{
    start_owner();
    return tests_run(open_world, close_world);
}
