/* The command devices: lists the GPUs that the driver offers. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/session.h"
#include "cli/table.h"

#include <stdlib.h>

#define DERIVE(name) static void name(cli_cell *out, const void *item)
#define DEVICE       const gputune_device *device = item

static void set_array(cli_cell *out, const char *text)
{
    cli_set_text(out, text);
}

DERIVE(name)
{
    DEVICE;
    set_array(out, device->name);
}

DERIVE(uuid)
{
    DEVICE;
    set_array(out, device->uuid);
}

DERIVE(arch)
{
    DEVICE;
    set_array(out, device->arch);
}

DERIVE(environment)
{
    DEVICE;
    set_array(out, device->environment);
}

/* "13.0" for 13000. */
static void set_version(cli_cell *out, int version)
{
    if (version > 0) {
        char *text = cli_format("%d.%d", version / 1000, version % 1000 / 10);
        cli_set_text(out, text);
        free(text);
    }
}

DERIVE(driver)
{
    DEVICE;
    set_version(out, device->driver_version);
}

DERIVE(nvrtc)
{
    DEVICE;
    set_version(out, device->nvrtc_version);
}

DERIVE(note)
{
    DEVICE;
    cli_set_text(out, device->emulated ? "emulated: times are modelled" : "");
}

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, title, unit, where)                                                             \
    {                                                                                              \
#name, title, unit, where, offsetof(gputune_device, name), NULL                            \
    }
#define MADE(key, title, where, derive)                                                            \
    {                                                                                              \
        key, title, CLI_TEXT, where, 0, derive                                                     \
    }

static const cli_column columns[] = {
    SAME(ordinal, "#", CLI_WHOLE, BOTH),
    MADE("name", "name", BOTH, name),
    MADE("uuid", "", DATA, uuid),
    MADE("arch", "arch", BOTH, arch),
    MADE("environment", "", DATA, environment),
    SAME(sm_count, "SMs", CLI_WHOLE, BOTH),
    SAME(memory_bytes, "memory", CLI_BYTES, BOTH),
    SAME(l2_bytes, "L2", CLI_BYTES, BOTH),
    SAME(shared_per_sm_bytes, "shared/SM", CLI_BYTES, BOTH),
    SAME(shared_optin_bytes, "shared/block", CLI_BYTES, BOTH),
    SAME(max_cluster, "cluster", CLI_WHOLE, BOTH),
    SAME(max_parameter_bytes, "parameters", CLI_WHOLE, BOTH),
    SAME(memory_clock_khz, "", CLI_WHOLE, DATA),
    SAME(sm_clock_khz, "", CLI_WHOLE, DATA),
    SAME(bus_width_bits, "", CLI_WHOLE, DATA),
    SAME(peak_bytes_per_s, "peak", CLI_RATE, BOTH),
    MADE("driver", "driver", BOTH, driver),
    MADE("nvrtc", "NVRTC", BOTH, nvrtc),
    SAME(emulated, "", CLI_YES, DATA),
    MADE(NULL, "note", CLI_VIEW, note),
};

static int add(void *user, const gputune_device *device)
{
    cli_table_add(user, device);
    return 0;
}

int cmd_devices(int argc, char **argv)
{
    cli_common common = {0};
    const cli_option options[] = {
        {"driver", 0, CLI_OPTION_TEXT, &common.driver, "DRIVER",
         "cuda, emu or emu:PROFILE (the emulator), or a library\n[GPUTUNE_DRIVER, else cuda]",
         NULL},
        CLI_FORMAT_OPTION(&common),
        CLI_MESSAGE_OPTIONS(&common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {"devices", "",     "Lists the GPUs that the driver offers.", NULL, 0,
                             0,         options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code != CLI_CONTINUE) {
        return code;
    }
    cli_console_setup(common.quiet, common.verbose);
    cli_table table = {.name = "devices",
                       .columns = columns,
                       .column_count = sizeof columns / sizeof *columns,
                       .view = CLI_VIEW};
    int status = gputune_devices(common.driver, add, &table);
    if (status < 0) {
        code = cli_fail(status);
        if (status == GPUTUNE_ENODRIVER && !common.driver) {
            cli_note("--driver emu lists the emulator's");
        }
    } else {
        cli_table_write(&table, (cli_format_kind)common.format, stdout);
        code = CLI_EXIT_OK;
    }
    cli_table_free(&table);
    return code;
}
