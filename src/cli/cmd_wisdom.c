/* The command wisdom: winners as text, from one database to another. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/stored.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
    cli_common common;
    cli_stored stored;
    const char *output;
    bool trust, whole;
} settings;

/* ---- export ---------------------------------------------------------------------------------- */

static int write_text(const char *path, const char *text)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, path, true));
    (void)fputs(text, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

static int write_wisdom(const settings *settings, const cli_session *session,
                        const gputune_wisdom_filter *filter)
{
    uint32_t count;
    char *text;
    int status = gputune_wisdom_export(&text, &count, session->tuner, filter);
    if (status < 0) {
        return cli_fail(status);
    }
    int code = CLI_EXIT_NOTHING;
    if (count || !settings->output) { /* a file is not replaced by nothing */
        code = write_text(settings->output, text);
    }
    gputune_free(text);
    cli_note("%u result%s", count, gt_plural(count));
    return count ? code : CLI_EXIT_NOTHING;
}

static int export_wisdom(const settings *settings, const char *kernel)
{
    cli_session session;
    gputune_wisdom_filter filter = GPUTUNE_WISDOM_FILTER_INIT;
    const cli_stored *stored = &settings->stored;
    int code = cli_stored_sizes(&filter.sizes, &stored->sizes);
    bool any = stored->any_gpu || stored->gpu;
    cli_common common = settings->common;
    common.read_only = true;
    filter.kernel = kernel;
    filter.gpu = stored->gpu;
    filter.any_gpu = stored->any_gpu;
    filter.whole = settings->whole;
    if (code == CLI_CONTINUE) {
        code = cli_open(&session, &common, any ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE);
    }
    if (code == CLI_CONTINUE) {
        code = write_wisdom(settings, &session, &filter);
        cli_close(&session);
    }
    return code;
}

/* ---- import ---------------------------------------------------------------------------------- */

static int import_files(const settings *settings, const cli_arguments *files)
{
    cli_session session;
    gputune_wisdom_options options = GPUTUNE_WISDOM_OPTIONS_INIT;
    options.trust = settings->trust ? GPUTUNE_TRUST_BOUND : GPUTUNE_TRUST_NOTHING;
    options.keep = true;
    const char *device = settings->common.device;
    bool none = device && strcmp(device, "none") == 0;
    CLI_TRY(cli_open(&session, &settings->common,
                     settings->trust && !none ? CLI_OPEN_DEVICE : CLI_OPEN_NO_DEVICE));
    int code = CLI_EXIT_OK;
    for (size_t i = 0; i < files->count; i++) {
        uint32_t count;
        int status = gputune_wisdom_load(&count, session.tuner, files->items[i], &options);
        if (status < 0) {
            code = cli_worse(code, cli_fail(status));
        } else {
            cli_note("%s: %u result%s", files->items[i], count, gt_plural(count));
            code = cli_worse(code, count ? CLI_EXIT_OK : CLI_EXIT_NOTHING);
        }
    }
    code = cli_check_database(&session, code);
    cli_close(&session);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(const settings *settings, const cli_arguments *arguments)
{
    const char *verb = arguments->items[0];
    const cli_arguments rest = {arguments->items + 1, arguments->count - 1};
    if (strcmp(verb, "export") == 0 && rest.count < 2) {
        return export_wisdom(settings, rest.count ? rest.items[0] : NULL);
    }
    if (strcmp(verb, "import") == 0 && rest.count) {
        return import_files(settings, &rest);
    }
    cli_error("wisdom: expected 'export [KERNEL]' or 'import FILE...'");
    return CLI_EXIT_USAGE;
}

int cmd_wisdom(int argc, char **argv)
{
    settings settings = {.trust = false};
    const cli_option options[] = {
        CLI_STORED_OPTIONS(&settings.stored),
        {"output", 'o', CLI_OPTION_TEXT, &settings.output, "FILE", "export: write there [stdout]",
         NULL},
        {"whole", 0, CLI_OPTION_FLAG, &settings.whole, NULL,
         "export: with the winners' code, which import --trust takes over, and with the fastest "
         "other trials, from which searches at other sizes begin",
         NULL},
        {"trust", 0, CLI_OPTION_FLAG, &settings.trust, NULL,
         "import: do not prove again what was measured with this driver, on this kind of GPU, from "
         "the same generated source",
         NULL},
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "wisdom",
        "export [KERNEL] | import FILE...",
        "Carries winners as text from one database to another.",
        "The text has no code without --whole. What is imported is compiled and proved when it is "
        "first "
        "asked for, unless it is trusted. "
        "What was measured here stays. Programs read the text by gputune_wisdom_import().",
        1,
        (size_t)-1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    return code == CLI_CONTINUE ? run(&settings, &arguments) : code;
}
