/* The command devices: lists the GPUs that the driver offers. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/session.h"
#include "cli/table.h"

static void note(cli_cell *out, const void *item)
{
    const gputune_device *device = item;
    cli_set_text(out, device->emulated ? "emulated: times are modelled" : "");
}

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW, MORE = BOTH | CLI_SPARE };
#define SAME(name, title, unit, where) CLI_FIELD(gputune_device, name, title, unit, where)

static const cli_column columns[] = {
    SAME(ordinal, "#", CLI_WHOLE, BOTH),
    {"gpu", "GPU", CLI_CHARS, BOTH, offsetof(gputune_device, name), NULL},
    SAME(uuid, "", CLI_CHARS, DATA),
    SAME(arch, "arch", CLI_CHARS, BOTH),
    SAME(environment, "", CLI_CHARS, DATA),
    SAME(sm_count, "SMs", CLI_WHOLE, BOTH),
    SAME(memory_bytes, "memory", CLI_BYTES, BOTH),
    SAME(l2_bytes, "L2", CLI_BYTES, MORE),
    SAME(shared_per_sm_bytes, "shared/SM", CLI_BYTES, MORE),
    SAME(shared_optin_bytes, "shared/block", CLI_BYTES, MORE),
    SAME(max_cluster, "cluster", CLI_WHOLE, MORE),
    SAME(max_parameter_bytes, "parameters", CLI_WHOLE, MORE),
    SAME(memory_clock_khz, "", CLI_WHOLE, DATA),
    SAME(sm_clock_khz, "", CLI_WHOLE, DATA),
    SAME(bus_width_bits, "", CLI_WHOLE, DATA),
    SAME(peak_bytes_per_s, "peak", CLI_RATE, BOTH),
    SAME(driver_version, "", CLI_WHOLE, DATA),
    {NULL, "driver", CLI_VERSION, CLI_VIEW, offsetof(gputune_device, driver_version), NULL},
    SAME(nvrtc_version, "", CLI_WHOLE, DATA),
    {NULL, "NVRTC", CLI_VERSION, CLI_VIEW, offsetof(gputune_device, nvrtc_version), NULL},
    SAME(emulated, "", CLI_YES, DATA),
    CLI_MADE(NULL, "note", CLI_VIEW, note),
};

static int add(void *user, const gputune_device *device)
{
    cli_table_add(user, device);
    return 0;
}

static cli_common common;

static const cli_option options[] = {
    {"driver", 0, CLI_OPTION_TEXT, &common.driver, "DRIVER", NULL,
     "cuda, emu or emu:PROFILE (the emulator), or a library [GPUTUNE_DRIVER, else cuda]"},
    CLI_FORMAT_OPTION(&common),
    CLI_MESSAGE_OPTIONS(&common),
    CLI_OPTIONS_END,
};

static int list(const cli_arguments *arguments)
{
    (void)arguments;
    cli_console_setup(common.quiet, common.verbose);
    cli_table table = CLI_TABLE("devices", columns, CLI_VIEW);
    int status = gputune_devices(common.driver, add, &table);
    if (status >= 0) {
        return cli_table_print(&table, common.format);
    }
    int code = cli_fail(status);
    if (status == GPUTUNE_ENODRIVER && !common.driver) {
        cli_note("--driver emu lists the emulator's");
    }
    return code;
}

const cli_command cmd_devices = {"devices", "the GPUs there are",
                                 "",        "Lists the GPUs that the driver offers.",
                                 NULL,      0,
                                 0,         options,
                                 list};
