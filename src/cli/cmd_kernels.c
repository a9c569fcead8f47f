/* The commands kernels, devices and doctor. */
#include "cli/session.h"
#include "cli/table.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW, MORE = BOTH | CLI_SPARE };

#define OF_KERNEL(name, unit, where) CLI_FIELD(gputune_kernel, name, #name, unit, where)

static const cli_column kernel_columns[] = {
    CLI_AS("kernel", gputune_kernel, name, "kernel", CLI_TEXT, BOTH),
    OF_KERNEL(sizes, CLI_SIZES, BOTH),
    OF_KERNEL(objective, CLI_OBJECTIVE, BOTH),
    OF_KERNEL(summary, CLI_TEXT, BOTH),
    OF_KERNEL(axes, CLI_TEXT, DATA),
    OF_KERNEL(path, CLI_TEXT, DATA),
};

static int add_kernel(void *user, const gputune_kernel *kernel)
{
    cli_table_add(user, kernel);
    return 0;
}

static const cli_option kernel_options[] = {
    CLI_TEMPLATES_OPTION,
    CLI_INCLUDE_OPTION,
    CLI_FORMAT_OPTION,
    CLI_MESSAGE_OPTIONS,
};

static int describe_kernel(void *user, const gputune_kernel *kernel)
{
    const char *axes = kernel->axes;
    char *name, *values;
    int *count = user;
    printf("%s%s\n", (*count)++ ? "\n" : "", kernel->summary[0] ? kernel->summary : kernel->name);
    printf("  kernel     %s, in %s\n", kernel->name, kernel->path);
    printf("  sizes      %s\n", cli_short_sizes(kernel->sizes));
    printf("  objective  %s\n", gputune_objective_name(kernel->objective));
    printf("  verified   against %s\n", kernel->self_reference || kernel->unreferenced
                                            ? "its own default only"
                                            : "its reference");
    for (const char *title = "axes"; cli_next_pair(&axes, &name, &values); title = "") {
        printf("  %-9s  %s = %s\n", title, name, values);
    }
    return 0;
}

static int list_kernels(const cli_list *arguments)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    const char *name = arguments->count ? arguments->items[0] : NULL;
    int count = 0;
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    if (name && cli_given.format == CLI_FORMAT_TABLE) {
        CLI_TRY(cli_passed(gputune_kernels(session.tuner, name, describe_kernel, &count)));
        return CLI_EXIT_OK;
    }
    cli_table table = CLI_TABLE("kernels", kernel_columns, gputune_kernel, CLI_VIEW);
    CLI_TRY(cli_passed(gputune_kernels(session.tuner, name, add_kernel, &table)));
    return cli_table_print(&table);
}

const cli_command cmd_kernels = {"kernels",
                                 "list the kernels, or describe one",
                                 "[KERNEL|PATH]",
                                 "Lists the kernels that can be tuned by name, or describes one. A "
                                 "template of your own is given by its path.",
                                 NULL,
                                 {0, 1},
                                 kernel_options,
                                 list_kernels};

#define OF_DEVICE(name, title, unit, where) CLI_FIELD(gputune_device, name, title, unit, where)

static const cli_column device_columns[] = {
    OF_DEVICE(ordinal, "#", CLI_WHOLE, BOTH),
    CLI_AS("gpu", gputune_device, name, "GPU", CLI_CHARS, BOTH),
    OF_DEVICE(uuid, "", CLI_CHARS, DATA),
    OF_DEVICE(arch, "arch", CLI_CHARS, BOTH),
    OF_DEVICE(environment, "", CLI_CHARS, DATA),
    OF_DEVICE(sm_count, "SMs", CLI_WHOLE, BOTH),
    OF_DEVICE(memory_bytes, "memory", CLI_BYTES, BOTH),
    OF_DEVICE(l2_bytes, "L2", CLI_BYTES, MORE),
    OF_DEVICE(shared_per_sm_bytes, "shared/SM", CLI_BYTES, MORE),
    OF_DEVICE(shared_optin_bytes, "shared/block", CLI_BYTES, MORE),
    OF_DEVICE(max_cluster, "cluster", CLI_WHOLE, MORE),
    OF_DEVICE(max_parameter_bytes, "parameters", CLI_WHOLE, MORE),
    OF_DEVICE(memory_clock_khz, "", CLI_WHOLE, DATA),
    OF_DEVICE(sm_clock_khz, "", CLI_WHOLE, DATA),
    OF_DEVICE(bus_width_bits, "", CLI_WHOLE, DATA),
    OF_DEVICE(peak_bytes_per_s, "peak", CLI_RATE, BOTH),
    OF_DEVICE(driver_version, "", CLI_WHOLE, DATA),
    CLI_AS(NULL, gputune_device, driver_version, "driver", CLI_VERSION, CLI_VIEW),
    OF_DEVICE(nvrtc_version, "", CLI_WHOLE, DATA),
    CLI_AS(NULL, gputune_device, nvrtc_version, "NVRTC", CLI_VERSION, CLI_VIEW),
    OF_DEVICE(emulated, "", CLI_YES, DATA),
};

static int add_device(void *user, const gputune_device *device)
{
    cli_table_add(user, device);
    return 0;
}

static const cli_option device_options[] = {
    {"driver", 0, CLI_OPTION_TEXT, &cli_given.driver, "DRIVER", NULL,
     "cuda, emu or emu:PROFILE (the emulator), or a library [GPUTUNE_DRIVER, else cuda]"},
    CLI_FORMAT_OPTION,
    CLI_MESSAGE_OPTIONS,
};

static int list_devices(const cli_list *arguments)
{
    (void)arguments;
    cli_table table = CLI_TABLE("devices", device_columns, gputune_device, CLI_VIEW);
    int status = gputune_devices(cli_given.driver, add_device, &table);
    if (status >= 0) {
        return cli_table_print(&table);
    }
    int code = cli_fail(status);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_requested()) {
        cli_note("'gputune devices --driver emu' lists the emulator's devices");
    }
    return code;
}

const cli_command cmd_devices = {
    "devices", "list the GPUs", "",          "Lists the GPUs that the driver offers.", NULL,
    {0, 0},    device_options,  list_devices};

typedef struct ward {
    cli_table table;
    int code;
    size_t counts[3];
} ward;

typedef struct diagnosis_row {
    gputune_diagnosis diagnosis; /* must be first, because OF_DIAGNOSIS uses its offsets */
    const char *verdict;
} diagnosis_row;

#define OF_DIAGNOSIS(name, title) CLI_FIELD(gputune_diagnosis, name, title, CLI_TEXT, BOTH)

static const cli_column diagnosis_columns[] = {
    OF_DIAGNOSIS(subject, "what"),
    CLI_FIELD(diagnosis_row, verdict, "verdict", CLI_STATUS, BOTH),
    OF_DIAGNOSIS(found, "found"),
    OF_DIAGNOSIS(remedy, "remedy"),
};

static int add_diagnosis(void *user, const gputune_diagnosis *diagnosis)
{
    ward *at = user;
    bool database = strncmp(diagnosis->subject, "database", strlen("database")) == 0;
    const diagnosis_row row = {*diagnosis, gputune_verdict_name(diagnosis->verdict)};
    cli_table_add(&at->table, &row);
    at->counts[diagnosis->verdict]++;
    if (diagnosis->verdict == GPUTUNE_VERDICT_FAILURE) {
        at->code = cli_worse(at->code, database ? CLI_EXIT_DATABASE : CLI_EXIT_PLATFORM);
    }
    return 0;
}

static const cli_option doctor_options[] = {
    CLI_FORMAT_OPTION,
    CLI_TUNER_OPTIONS,
};

static int diagnose_system(const cli_list *arguments)
{
    const gputune_open_options open_options = cli_open_options();
    ward at = {.table = CLI_TABLE("checks", diagnosis_columns, diagnosis_row, CLI_VIEW)};
    (void)arguments;
    CLI_TRY(cli_passed(gputune_diagnose(&open_options, add_diagnosis, &at)));
    cli_table_print(&at.table);
    cli_note("%zu ok, %zu warning%s, %zu failure%s", at.counts[GPUTUNE_VERDICT_OK],
             at.counts[GPUTUNE_VERDICT_WARNING], gt_plural(at.counts[GPUTUNE_VERDICT_WARNING]),
             at.counts[GPUTUNE_VERDICT_FAILURE], gt_plural(at.counts[GPUTUNE_VERDICT_FAILURE]));
    return at.code;
}

const cli_command cmd_doctor = {
    "doctor",
    "check the installation, and print what to do",
    "",
    "Checks everything that tuning depends on, and prints what is wrong and what to do.",
    "Driver, GPU, compiler, headers, workers, templates, database and environment variables: each "
    "is ok, a warning (results may be worse, or take longer) or a failure. The exit code is 3 "
    "for a failure, 6 if the first failure is in the database. The GPU copies some memory; the "
    "database is not modified.",
    {0, 0},
    doctor_options,
    diagnose_system};
