/* Tests the properties of the devices of each architecture, and the key of the environment. */
#include "gpu/device.h"
#include "support/test.h"

static gt_device for_arch(const char *arch)
{
    gt_device device;
    if (gt_device_for_arch(&device, arch) < 0) {
        fail_msg("%s", gt_message());
    }
    return device;
}

TEST(test_limits_of_architectures)
{
    static const struct {
        const char *arch, *exact;
        int cc, threads_per_sm, shared_per_sm_kb, optin_kb, max_cluster, carveouts;
    } rows[] = {
        {"sm_75", "sm_75", 75, 1024, 64, 64, 1, 2},
        {"sm_80", "sm_80", 80, 2048, 164, 163, 1, 8},
        {"sm_86", "sm_86", 86, 1536, 100, 99, 1, 6},
        {"sm_90", "sm_90a", 90, 2048, 228, 227, 16, 10},
        {"sm_90a", "sm_90a", 90, 2048, 228, 227, 16, 10},
        {"sm_100", "sm_100a", 100, 2048, 228, 227, 16, 10},
        {"sm_100f", "sm_100f", 100, 2048, 228, 227, 16, 10},
        {"sm_120", "sm_120a", 120, 1536, 100, 99, 8, 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gt_device device = for_arch(rows[i].arch);
        assert_int_equal(device.cc, rows[i].cc);
        assert_string_equal(device.arch, rows[i].exact);
        assert_string_equal(device.origin, "arch");
        assert_string_equal(device.uuid, "");
        assert_int_equal(device.max_threads_per_sm, rows[i].threads_per_sm);
        assert_int_equal(device.shared_per_sm_bytes, rows[i].shared_per_sm_kb * 1024);
        assert_int_equal(device.shared_per_block_optin_bytes, rows[i].optin_kb * 1024);
        assert_int_equal(device.max_cluster, rows[i].max_cluster);
        assert_int_equal(device.cluster_launch, rows[i].max_cluster > 1);
        assert_int_equal(device.carveout_count, rows[i].carveouts);
        for (int k = 1; k < device.carveout_count; k++) {
            assert_true(device.carveout_kb[k] > device.carveout_kb[k - 1]);
        }
        assert_int_equal(device.carveout_kb[device.carveout_count - 1], rows[i].shared_per_sm_kb);
    }
}

TEST(test_unknown_architectures)
{
    static const char *const bad[] = {"",       "90",     "sm_",     "sm_42",      "sm_99",
                                      "sm_80a", "sm_90f", "sm_90ab", "compute_90", "sm_9000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gt_device device = {.cc = 1};
        assert_int_equal(gt_device_for_arch(&device, bad[i]), GPUTUNE_EINVAL);
        assert_int_equal(device.cc, 1);
        assert_non_null(strstr(gt_message(), "sm_75 sm_80"));
    }
}

TEST(unknown_capability_uses_its_generation)
{
    gt_device device = {.cc = 129, .cluster_launch = true, .shared_per_sm_bytes = 100 * 1024};
    gt_device_add_arch_facts(&device);
    assert_int_equal(device.max_cluster, 8);
    assert_int_equal(device.carveout_kb[device.carveout_count - 1], 100);
    device = (gt_device){.cc = 200, .cluster_launch = true, .shared_per_sm_bytes = 228 * 1024};
    gt_device_add_arch_facts(&device);
    assert_in_range(device.max_cluster, 8, 16);
    assert_true(device.carveout_count > 0);
}

static bool changes_environment(const gt_device *before, gt_device after)
{
    gt_device_environment(&after);
    return strcmp(before->environment, after.environment) != 0;
}

TEST(environment_key_covers_properties_that_affect_times)
{
    gt_device base = for_arch("sm_90");
    assert_int_equal(strlen(base.environment), 32);
    assert_string_equal(base.environment, for_arch("sm_90").environment);
    gt_device other = base;
    other.memory_clock_khz += 1; /* the memory clock distinguishes A100-40 and A100-80 */
    assert_true(changes_environment(&base, other));
    other = base;
    other.l2_bytes += 1;
    assert_true(changes_environment(&base, other));
    other = base;
    memcpy(other.mig_profile, "1g.10gb", 8);
    assert_true(changes_environment(&base, other));
    other = base;
    memcpy(other.origin, "emu:h200:model1", 16);
    assert_true(changes_environment(&base, other));
}

TEST(environment_key_ignores_other_properties)
{
    gt_device base = for_arch("sm_90"), other = base;
    memcpy(other.uuid, "GPU-1234", 9);
    memcpy(other.name, "Another name", 13);
    other.ordinal = 3;
    other.driver_version = 12040;
    other.nvrtc_version = 12040;
    other.memory_bytes /= 2;
    assert_false(changes_environment(&base, other));
}

static CUresult name_an_instance(char *name, int bytes, CUdevice device)
{
    snprintf(name, (size_t)bytes, "NVIDIA H200 MIG 1g.18gb");
    return CUDA_SUCCESS;
}

/* Results of a MIG instance are valid only for its profile. Workers find the instance by UUID. */
TEST(mig_instance_is_a_separate_gpu)
{
    const gt_driver *whole;
    gt_device instance, gpu;
    if (gt_driver_open(&whole, "emu:h200") < 0) {
        fail_msg("%s", gt_message());
    }
    gt_driver part = *whole;
    part.DeviceGetName = name_an_instance;
    ASSERT_OK(gt_device_query(&gpu, whole, 0));
    ASSERT_OK(gt_device_query(&instance, &part, 0));
    assert_string_equal(gpu.mig_profile, "");
    assert_string_equal(instance.mig_profile, "1g.18gb");
    assert_int_equal(strncmp(gpu.uuid, "GPU-", 4), 0);
    assert_int_equal(strncmp(instance.uuid, "MIG-", 4), 0);
    assert_string_not_equal(instance.environment, gpu.environment);
}

TEST(old_nvrtc_limits_parameters)
{
    gt_device device = for_arch("sm_90");
    gt_device_set_nvrtc(&device, 13000);
    assert_int_equal(device.max_parameter_bytes, 32764);
    gt_device_set_nvrtc(&device, 12000);
    assert_int_equal(device.max_parameter_bytes, 4096);
    assert_int_equal(device.nvrtc_version, 12000);
}
