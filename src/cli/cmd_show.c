/* The command show: prints the records of the database. */
#include "cli/commands.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/record_columns.h"

#include <stdlib.h>

typedef struct settings {
    cli_common common;
    bool all, any_gpu;
} settings;

static int add(void *user, const gputune_record *record)
{
    cli_record_add(user, record);
    return 0;
}

static void say_device(const cli_session *session)
{
    const gputune_device *device = &session->device;
    if (session->has_device && !device->emulated) { /* of an emulated one it is said already */
        cli_note("%s (%s, %d SMs)", device->name, device->arch, device->sm_count);
    }
}

/* Nothing is stored: a kernel that does not exist is a mistake, else it is only not tuned yet. */
static int nothing(const cli_session *session, char *const *kernel, bool any_gpu)
{
    if (kernel) {
        cli_catalogue catalogue;
        const cli_kernel *found;
        int code = cli_catalogue_load(&catalogue, session, kernel, 0);
        if (code == CLI_CONTINUE) {
            code = cli_catalogue_find(&found, &catalogue, *kernel);
            cli_catalogue_free(&catalogue);
        }
        if (code != CLI_CONTINUE) {
            return code;
        }
    }
    cli_note("nothing is stored for %s%s; 'gputune warm %s' tunes%s",
             kernel ? *kernel : "any kernel", any_gpu ? "" : " on this GPU",
             kernel ? *kernel : "KERNEL", any_gpu ? "" : ", --any-gpu shows other GPUs' records");
    return CLI_EXIT_NOTHING;
}

static int show(const settings *settings, const cli_session *session,
                const cli_arguments *arguments)
{
    bool any_gpu = settings->any_gpu || !session->has_device;
    cli_table table = cli_record_table((settings->all ? CLI_VIEW_TRIALS : CLI_VIEW_WINNERS) |
                                       (any_gpu ? CLI_VIEW_ANY_GPU : 0));
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = arguments->count ? arguments->items[0] : NULL;
    filter.all_trials = settings->all;
    filter.any_gpu = any_gpu;
    int status = gputune_records(session->tuner, &filter, add, &table);
    cli_format_kind format = (cli_format_kind)settings->common.format;
    int code = CLI_EXIT_OK;
    if (status < 0) {
        code = cli_fail(status);
    } else {
        if (format == CLI_FORMAT_TABLE && table.row_count && !any_gpu) {
            say_device(session);
        }
        if (table.row_count || format == CLI_FORMAT_JSON || format == CLI_FORMAT_CSV) {
            cli_table_write(&table, format, stdout);
        }
        if (!table.row_count) {
            code = nothing(session, arguments->count ? arguments->items : NULL, any_gpu);
        }
    }
    cli_table_free(&table);
    return code;
}

int cmd_show(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        {"all", 'a', CLI_OPTION_FLAG, &settings.all, NULL,
         "every trial with its statistics, not only the winners", NULL},
        {"any-gpu", 0, CLI_OPTION_FLAG, &settings.any_gpu, NULL,
         "records of every GPU in the database", NULL},
        CLI_FORMAT_OPTION(&settings.common),
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "show",
        "[KERNEL]",
        "Prints what is remembered for this GPU.",
        "Speed-up is over the template's default configuration, with its 95% interval. 'of copy' "
        "is\n"
        "the bandwidth as a share of a device-to-device copy's on that GPU. Flags: tie (nothing "
        "is\n"
        "surely faster; the simplest of the fastest won), noisy (others used the GPU, its clocks "
        "were\n"
        "held back, or there was time for one launch each), modelled (an emulator's time). JSON "
        "and\n"
        "CSV have every field, times in nanoseconds (nanojoules under the objective energy; under "
        "rate\n"
        "for the work of the default's launch), rates in bytes a second.",
        0,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code != CLI_CONTINUE) {
        return code;
    }
    cli_session session;
    code = cli_open(&session, &settings.common, CLI_OPEN_IF_ANY);
    if (code == CLI_CONTINUE) {
        code = show(&settings, &session, &arguments);
        cli_close(&session);
    }
    return code;
}
