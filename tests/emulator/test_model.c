/* Tests the modelled time and its terms. */
#include "device.h"
#include "emulator/model.h"

static const emu_profile *h200(void)
{
    static emu_profile profile;
    char why[200];
    assert_true(emu_profile_load(&profile, "h200", NULL, why, sizeof why));
    return &profile;
}

/* A kernel that copies floats: its shape, and the counters that the emulator would report. */
typedef struct copy {
    emu_kernel_shape shape;
    emu_counters counters;
} copy;

static copy copy_of(uint64_t n, uint64_t width, int threads, uint64_t address)
{
    uint64_t warps = n / width / 32;
    copy copy = {.shape = {.needs = {.threads = threads, .registers = 16, .carveout_percent = -1},
                           .blocks = (double)(warps * 32) / threads,
                           .cluster_blocks = 1,
                           .buffer_count = 2,
                           .buffers = {{address, 4.0 * (double)n},
                                       {address + (UINT64_C(1) << 36), 4.0 * (double)n}}},
                 .counters = {.warps = warps,
                              .memory_waits = warps,
                              .longest_warp = 12,
                              .longest_waits = 1,
                              .global_load_lines = n / 32,
                              .global_store_lines = n / 32,
                              .global_load_sectors = n / 8,
                              .global_store_sectors = n / 8}};
    copy.counters.issued[EMU_CLASS_ALU] = warps * 10;
    copy.counters.issued[EMU_CLASS_LDST] = warps * 2;
    emu_occupancy(&copy.shape.residency, h200(), &copy.shape.needs);
    return copy;
}

static double time_of(const copy *copy)
{
    return emu_model_kernel(h200(), &copy->shape, &copy->counters);
}

static double bandwidth(uint64_t n, uint64_t width, int threads)
{
    static uint64_t address = UINT64_C(1) << 37;
    address += UINT64_C(1) << 38; /* a new address, whose data are not cached yet */
    copy copy = copy_of(n, width, threads, address);
    return 8.0 * (double)n / time_of(&copy);
}

/* Vectors of 1, 2 and 4 floats reached about 1692, 3345 and 4257 GB/s on an H200. */
TEST(vector_width_increases_bandwidth)
{
    double one = bandwidth(1 << 28, 1, 128), two = bandwidth(1 << 28, 2, 128),
           four = bandwidth(1 << 28, 4, 128);
    assert_true(one > 1692 * 0.8 && one < 1692 * 1.2);
    assert_true(two > 3345 * 0.8 && two < 3345 * 1.2);
    assert_true(four > 4257 * 0.9 && four < 4257 * 1.1);
}

TEST(hot_cache_is_faster)
{
    copy small = copy_of(1 << 21, 4, 256, UINT64_C(1) << 50);
    double cold = time_of(&small), hot = time_of(&small);
    assert_true(hot < cold);
    copy sweep = copy_of(1 << 26, 4, 256, UINT64_C(1) << 51);
    time_of(&sweep);
    assert_true(time_of(&small) == cold);
}

TEST(large_buffer_stays_cold)
{
    copy large = copy_of(1 << 26, 4, 256, UINT64_C(1) << 52);
    double first = time_of(&large);
    assert_true(time_of(&large) == first);
}

static double with(void (*change)(copy *))
{
    copy copy = copy_of(1 << 20, 4, 256, UINT64_C(1) << 53);
    time_of(&copy);
    change(&copy);
    return time_of(&copy);
}

static void nothing(copy *copy)
{
}

static void bank_conflicts(copy *copy)
{
    copy->counters.shared_requests = copy->counters.warps * 64;
    copy->counters.shared_wavefronts = copy->counters.warps * 64 * 32;
}

static void no_conflicts(copy *copy)
{
    copy->counters.shared_requests = copy->counters.warps * 64;
    copy->counters.shared_wavefronts = copy->counters.warps * 64;
}

static void contended(copy *copy)
{
    copy->counters.global_atomic_sectors = copy->counters.warps;
    copy->counters.hottest_address_lanes = copy->counters.warps * 32;
}

static void uncontended(copy *copy)
{
    copy->counters.global_atomic_sectors = copy->counters.warps;
}

static void doubles(copy *copy)
{
    copy->counters.issued[EMU_CLASS_SFU] = copy->counters.warps * 5000;
}

static void floats(copy *copy)
{
    copy->counters.issued[EMU_CLASS_FMA] = copy->counters.warps * 5000;
}

static void one_long_warp(copy *copy)
{
    copy->counters.longest_warp = 100000;
}

static void crowded(copy *copy)
{
    copy->shape.residency.blocks = 1;
    copy->counters.memory_waits = copy->counters.warps * 20;
}

static void roomy(copy *copy)
{
    copy->counters.memory_waits = copy->counters.warps * 20;
}

static void clusters(copy *copy)
{
    copy->shape.cluster_blocks = 16;
    copy->counters.issued[EMU_CLASS_FMA] = copy->counters.warps * 5000;
}

/* Each line compares two kernels that do the same work. The second one is slower on hardware. */
TEST(costly_access_patterns_take_longer)
{
    assert_true(with(no_conflicts) < with(bank_conflicts));
    assert_true(with(uncontended) < with(contended));
    assert_true(with(floats) < with(doubles));
    assert_true(with(nothing) < with(one_long_warp));
    assert_true(with(roomy) < with(crowded));
    assert_true(with(floats) < with(clusters)); /* clusters can use only 112 of 132 SMs */
}

TEST(carveout_divides_shared_memory_and_l1)
{
    emu_residency least, own, most;
    emu_block_needs needs = {.threads = 256, .registers = 32, .shared_bytes = 64 * 1024};
    needs.carveout_percent = 0;
    emu_occupancy(&least, h200(), &needs);
    needs.carveout_percent = -1;
    emu_occupancy(&own, h200(), &needs);
    needs.carveout_percent = 100;
    emu_occupancy(&most, h200(), &needs);
    assert_int_equal(least.blocks, 1);
    assert_int_equal(most.blocks, 3);
    assert_int_equal(own.blocks, 3);
    assert_true(least.l1_bytes > most.l1_bytes);
    needs.shared_bytes = 0;
    needs.carveout_percent = -1;
    emu_occupancy(&own, h200(), &needs);
    assert_int_equal(own.blocks, 8);
    assert_true(own.shared_limit_bytes == 8 * 1024);
}

TEST(registers_and_shared_memory_limit_occupancy)
{
    emu_residency residency;
    emu_block_needs needs = {.threads = 256, .registers = 255, .carveout_percent = -1};
    emu_occupancy(&residency, h200(), &needs);
    assert_int_equal(residency.blocks, 1);
    needs.registers = 64;
    emu_occupancy(&residency, h200(), &needs);
    assert_int_equal(residency.blocks, 4);
    needs.shared_bytes = 228 * 1024;
    emu_occupancy(&residency, h200(), &needs);
    assert_int_equal(residency.blocks, 0);
}

TEST(profiles_agree_with_themselves)
{
    static const char *const names[] = {"h200", "a100"};
    for (size_t i = 0; i < 2; i++) {
        emu_profile profile;
        char why[200];
        assert_true(emu_profile_load(&profile, names[i], NULL, why, sizeof why));
        assert_non_null(strstr(profile.gpu_name, "(emulated)"));
        double multiprocessors = 0;
        for (int g = 0; g < profile.gpc_multiprocessors.count; g++) {
            multiprocessors += profile.gpc_multiprocessors.value[g];
        }
        assert_true(multiprocessors == profile.attribute[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT]);
    }
}

TEST(bad_profiles_are_refused)
{
    static const char *const texts[][2] = {
        {"clock_hz = fast", "x.profile:1: 'fast' is not a value for clock_hz"},
        {"# a\n\nclok_hz = 1", "x.profile:3: no such key 'clok_hz'"},
        {"clock_hz", "x.profile:1: 'clock_hz' is not key = value"},
        {"attribute.sm = 3", "x.profile:1: no such key 'attribute.sm'"},
        {"carveout_kb = 1 2 x", "x.profile:1: '1 2 x' is not a value for carveout_kb"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        emu_profile profile;
        char why[200];
        assert_false(emu_profile_parse(&profile, "x", texts[i][0], why, sizeof why));
        assert_string_equal(why, texts[i][1]);
    }
}
