/* Opens a tuner with the command's options, and handles Ctrl-C, SIGTERM and SIGHUP. */
#include "cli/session.h"

#include "base/file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t cli_canceled, cli_interrupted;

static void on_interrupt(int number)
{
    (void)number;
    cli_canceled = cli_interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction hangup = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler != SIG_IGN) { /* nohup ignores it */
        sigaction(SIGHUP, &action, NULL);
    }
}

bool cli_is_driver_requested(void)
{
    const char *environment = getenv("GPUTUNE_DRIVER");
    return cli_given.device || cli_given.driver || (environment && environment[0]);
}

gputune_open_options cli_open_options(void)
{
    return (gputune_open_options){.size = sizeof(gputune_open_options),
                                  .device =
                                      cli_given.own_gpu ? cli_given.own_gpu : cli_given.device,
                                  .driver = cli_given.driver,
                                  .database = cli_given.database,
                                  .templates = cli_given.templates,
                                  .include_paths = cli_given.include_paths.items,
                                  .include_path_count = cli_given.include_paths.count,
                                  .emulate_without_gpu = !cli_is_driver_requested(),
                                  .keep_workers = true,
                                  .read_only = cli_given.read_only,
                                  .pinned = cli_given.pinned,
                                  .log = cli_console_log};
}

int cli_open(cli_session *out, cli_open_mode mode)
{
    gputune_open_options options = cli_open_options();
    bool asked = options.device && strcmp(options.device, "none") == 0;
    bool none = asked || mode == CLI_OPEN_NO_DEVICE;
    memset(out, 0, sizeof *out);
    CLI_REFUSE(asked && (mode == CLI_OPEN_TUNING || mode == CLI_OPEN_DEVICE), CLI_EXIT_USAGE,
               "--device none: this command needs a GPU; choose one from 'gputune devices', or use "
               "the emulator (--driver emu), or --arch if the command has it");
    options.device = none ? "none" : options.device;
    options.tune_only = mode == CLI_OPEN_TUNING;
    int status = gputune_open(&out->tuner, &options);
    if (status == GPUTUNE_ENODRIVER && mode == CLI_OPEN_IF_ANY && !cli_is_driver_requested()) {
        none = true;
        cli_note("neither a GPU nor the emulator was found; continuing without a device");
        options.device = "none";
        status = gputune_open(&out->tuner, &options);
    }
    CLI_TRY(cli_passed(status));
    if (none) {
        return CLI_CONTINUE;
    }
    out->device.size = sizeof(gputune_device);
    CLI_TRY(cli_passed(gputune_tuner_device(&out->device, out->tuner)));
    out->has_device = true;
    if (out->device.emulated && !cli_is_driver_requested()) {
        cli_note("no GPU here: using the emulator (%s), whose times are modelled; --driver cuda "
                 "requires a GPU, --driver emu:PROFILE chooses another profile",
                 out->device.name);
    }
    return CLI_CONTINUE;
}

char *cli_database_path(void)
{
    const char *given = cli_given.database ? cli_given.database : getenv("GPUTUNE_DB");
    GT_FREED char *folder = NULL;
    if (given && given[0]) {
        return strcmp(given, ":memory:") == 0 ? NULL : cli_copy(given);
    }
    return gt_file_cache_folder(&folder) == GPUTUNE_OK ? cli_format("%s/gputune.db", folder) : NULL;
}

void cli_read_own_results(void)
{
    const char *path = cli_database_path();
    cli_given.read_only = true;
    if (!cli_given.database && !cli_given.shipped) {
        cli_given.database = path && access(path, F_OK) == 0 ? path : ":memory:";
    }
}

int cli_check_database(const cli_session *session, int code)
{
    int status = gputune_check_database(session->tuner);
    if (status < 0) {
        int failed = cli_fail(status);
        return code == CLI_EXIT_OK || code == CLI_EXIT_NOTHING ? failed : code;
    }
    return code;
}

void cli_close(cli_session *session)
{
    gputune_close(session->tuner);
    session->tuner = NULL;
}
