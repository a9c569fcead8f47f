/* Tests tuners that only read records: they take the device from the database if a tool has opened
 * it before on the same machine, and do not start the driver. The driver is the emulator by its
 * path, like a CUDA library, and a folder replaces "/". */
#include "gpu/surroundings.h"
#include "support/folder.h"
#include "world.h"

static char *folder, root[96];

/* Writes a file in the folder, or removes it if `text` is NULL. */
static void put_file(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    if (!text) {
        assert_int_equal(unlink(full), 0);
        return;
    }
    OK(gt_file_make_parents(full));
    file_write(full, "%s", text);
}

#define VERSION     "/proc/driver/nvidia/version"
#define INFORMATION "/proc/driver/nvidia/gpus/0000:01:00.0/information"
#define BOOT        "/proc/sys/kernel/random/boot_id"

/* Writes the files of a machine with one GPU. */
static const char *const files[][2] = {
    {VERSION, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03\n"},
    {INFORMATION, "Model: \t\t NVIDIA H200\nIRQ:   \t\t 16\nGPU UUID: \t GPU-1\n"},
    {BOOT, "1d2a7f0e-0000-4000-8000-000000000001\n"},
    {"/dev/nvidia0", ""},
};
enum { FILES = sizeof files / sizeof *files };

static int set_up(void **state)
{
    (void)state;
    world_environment();
    folder = folder_make();
    snprintf(world.database, sizeof world.database, "%s/x.db", folder);
    snprintf(root, sizeof root, "%s/root", folder);
    gt_surroundings_root = root;
    for (size_t i = 0; i < FILES; i++) {
        put_file(files[i][0], files[i][1]);
    }
    setenv("GPUTUNE_DRIVER", getenv("GPUTUNE_EMULATOR"), 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("GPUTUNE_EMU_FAULTS");
    unsetenv("GPUTUNE_EMU_PROFILE");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(folder);
    return 0;
}

/* Returns gputune_open()'s status for a tool that tunes, or for one that reads records. */
static int open_tool(gputune **out, bool reads, const char *device)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    options.database = world.database;
    options.device = device;
    options.tune_only = !reads;
    options.read_only = options.records_only = reads;
    return gputune_open(out, &options);
}

static gputune_device device_of(gputune *tuner)
{
    gputune_device device = GPUTUNE_DEVICE_INIT;
    OK(gputune_tuner_device(&device, tuner));
    return device;
}

/* Tunes as `gputune warm` does; returns the source of the result. */
static gputune_source warm(gputune_device *device)
{
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    OK(open_tool(&tuner, false, NULL));
    *device = device_of(tuner);
    int status =
        tune_kernel(&plan, tuner, "copy", GPUTUNE_SIZES({"n", 4096}), &OPTIONS(.max_variants = 3));
    SKIP_IF(status == GPUTUNE_ENOCOMPILER);
    OK(status);
    return info_of(plan).source;
}

static int count_winner(void *user, const gputune_record *record)
{
    *(int *)user += record->is_winner;
    return 0;
}

/* Returns the device of a tool that reads records, and the number of winners listed for it. */
static gputune_device read_records(int *winners)
{
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    OK(open_tool(&tuner, true, NULL));
    *winners = 0;
    OK(gputune_records(tuner, NULL, count_winner, winners));
    return device_of(tuner);
}

/* The driver knows the GPU's UUID; the database does not. */
static bool starts_driver(void)
{
    int winners;
    return read_records(&winners).uuid[0] != '\0';
}

/* The first test, because this process has not started the driver yet. */
TEST_WITHIN(records_are_read_if_the_driver_does_not_start, set_up, tear_down)
{
    gputune_device tuned;
    gputune *tuner;
    int winners;
    (void)warm(&tuned);
    setenv("GPUTUNE_EMU_FAULTS", "cuInit:1=999", 1);
    assert_string_equal(read_records(&winners).environment, tuned.environment);
    assert_int_equal(winners, 1);
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    assert_int_equal(open_tool(&tuner, true, NULL), GPUTUNE_ENODRIVER);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("GPUTUNE_EMU_FAULTS");
}

TEST_WITHIN(records_are_read_without_the_driver, set_up, tear_down)
{
    gputune_device tuned;
    int winners;
    assert_int_equal(warm(&tuned), GPUTUNE_SOURCE_MEASURED);
    gputune_device read = read_records(&winners);
    assert_string_equal(read.uuid, "");
    assert_int_equal(winners, 1);
    assert_string_equal(read.environment, tuned.environment);
    assert_string_equal(read.name, tuned.name);
    assert_string_equal(read.arch, tuned.arch);
    assert_int_equal(read.sm_count, tuned.sm_count);
    assert_int_equal(read.max_parameter_bytes, tuned.max_parameter_bytes);
    assert_int_equal(read.max_cluster, tuned.max_cluster);
    assert_int_equal(read.shared_optin_bytes, tuned.shared_optin_bytes);
    assert_true(read.memory_bytes == tuned.memory_bytes);
    assert_true(read.emulated);
}

TEST_WITHIN(reader_of_records_cannot_tune, set_up, tear_down)
{
    gputune_device tuned;
    (void)warm(&tuned);
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    gputune_plan *plan = NULL;
    OK(open_tool(&tuner, true, NULL));
    assert_int_equal(
        tune_kernel(&plan, tuner, "copy", GPUTUNE_SIZES({"n", 4096}), &OPTIONS(.max_variants = 3)),
        GPUTUNE_EUNSUPPORTED);
    assert_non_null(strstr(gputune_error(), "records_only"));
}

TEST_WITHIN(other_variables_and_devices_start_the_driver, set_up, tear_down)
{
    gputune *tuner;
    gputune_device tuned;
    (void)warm(&tuned);
    assert_false(starts_driver());
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    assert_true(starts_driver());
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    assert_true(starts_driver());
    unsetenv("CUDA_DEVICE_ORDER");
    assert_false(starts_driver());
    assert_int_equal(open_tool(&tuner, true, "1"), GPUTUNE_ENODRIVER);
    assert_int_equal(open_tool(&tuner, true, "GPU-1"), GPUTUNE_ENODRIVER);
}

TEST_WITHIN(changes_of_the_machine_start_the_driver, set_up, tear_down)
{
    static const struct {
        const char *path, *text; /* text NULL: the file is removed */
    } changes[] = {
        {BOOT, "1d2a7f0e-0000-4000-8000-000000000002\n"},
        {VERSION, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  590.1\n"},
        {INFORMATION, "Model: \t\t NVIDIA H200\nIRQ:   \t\t 16\nGPU UUID: \t GPU-2\n"},
        {"/proc/driver/nvidia/gpus/0000:02:00.0/information", "GPU UUID: \t GPU-3\n"},
        {"/dev/nvidia1", ""},
        {"/dev/nvidia0", NULL},
        {BOOT, NULL},
        {VERSION, NULL},
        {INFORMATION, NULL},
        {"/proc/driver/nvidia/capabilities/gpu0/mig/gi1/access",
         "DeviceFileMinor: 12\n"}, /* leaves a folder */
    };
    gputune_device tuned;
    (void)warm(&tuned);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *before = NULL;
        for (size_t j = 0; j < FILES; j++) {
            before = strcmp(files[j][0], changes[i].path) == 0 ? files[j][1] : before;
        }
        assert_false(starts_driver());
        put_file(changes[i].path, changes[i].text);
        if (!starts_driver()) {
            fail_msg("%s: the driver was not started", changes[i].path);
        }
        put_file(changes[i].path, before);
    }
}

TEST_WITHIN(irrelevant_changes_start_no_driver, set_up, tear_down)
{
    gputune_device tuned;
    (void)warm(&tuned);
    put_file(INFORMATION, "Model: \t\t NVIDIA H200\nIRQ:   \t\t 99\nGPU UUID: \t GPU-1\n");
    assert_false(starts_driver());
}

/* The emulator's profile is not part of what is compared, so here the database returns the wrong
 * device. */
TEST_WITHIN(wrong_device_in_the_database_misleads_no_tuning, set_up, tear_down)
{
    gputune_device h200, a100;
    int winners;
    setenv("GPUTUNE_EMU_PROFILE", "h200", 1);
    assert_int_equal(warm(&h200), GPUTUNE_SOURCE_MEASURED);
    setenv("GPUTUNE_EMU_PROFILE", "a100", 1);
    assert_string_equal(read_records(&winners).environment, h200.environment);
    assert_int_equal(warm(&a100), GPUTUNE_SOURCE_MEASURED);
    assert_string_not_equal(a100.environment, h200.environment);
    gputune_device read = read_records(&winners);
    assert_string_equal(read.environment, a100.environment); /* corrected */
    assert_string_equal(read.arch, a100.arch);
    assert_int_equal(winners, 1);
    assert_int_equal(warm(&a100), GPUTUNE_SOURCE_CACHED);
}

/* The same after the next boot, when everything is already stored. */
TEST_WITHIN(tuning_remembers_the_device_even_if_all_is_stored, set_up, tear_down)
{
    gputune_device tuned;
    (void)warm(&tuned);
    put_file(BOOT, "1d2a7f0e-0000-4000-8000-000000000002\n");
    assert_true(starts_driver());
    assert_int_equal(warm(&tuned), GPUTUNE_SOURCE_CACHED);
    assert_false(starts_driver());
}
