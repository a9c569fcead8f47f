/* The command devices: lists the GPUs that the driver offers. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/session.h"
#include "cli/table.h"

typedef struct row {
    gputune_device device; /* the first member, which columns of devices read */
    const char *note;
} row;

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW, MORE = BOTH | CLI_SPARE };
#define SAME(name, title, unit, where) CLI_FIELD(gputune_device, name, title, unit, where)

static const cli_column columns[] = {
    SAME(ordinal, "#", CLI_WHOLE, BOTH),
    CLI_AS("gpu", gputune_device, name, "GPU", CLI_CHARS, BOTH),
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
    CLI_AS(NULL, gputune_device, driver_version, "driver", CLI_VERSION, CLI_VIEW),
    SAME(nvrtc_version, "", CLI_WHOLE, DATA),
    CLI_AS(NULL, gputune_device, nvrtc_version, "NVRTC", CLI_VERSION, CLI_VIEW),
    SAME(emulated, "", CLI_YES, DATA),
    CLI_FIELD(row, note, "note", CLI_TEXT, CLI_VIEW),
};

static int add(void *user, const gputune_device *device)
{
    const row one = {*device, device->emulated ? "emulated: times are modelled" : ""};
    cli_table_add(user, &one);
    return 0;
}

static const cli_option options[] = {
    {"driver", 0, CLI_OPTION_TEXT, &cli_given.driver, "DRIVER", NULL,
     "cuda, emu or emu:PROFILE (the emulator), or a library [GPUTUNE_DRIVER, else cuda]"},
    CLI_FORMAT_OPTION,
    CLI_MESSAGE_OPTIONS,
};

static int list(const cli_arguments *arguments)
{
    (void)arguments;
    cli_table table = CLI_TABLE("devices", columns, row, CLI_VIEW);
    int status = gputune_devices(cli_given.driver, add, &table);
    if (status >= 0) {
        return cli_table_print(&table);
    }
    int code = cli_fail(status);
    if (status == GPUTUNE_ENODRIVER && !cli_given.driver) {
        cli_note("--driver emu lists the emulator's");
    }
    return code;
}

const cli_command cmd_devices = {"devices", "the GPUs there are",
                                 "",        "Lists the GPUs that the driver offers.",
                                 NULL,      {0, 0},
                                 options,   list};
