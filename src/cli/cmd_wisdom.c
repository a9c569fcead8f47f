/* The command wisdom: winners as text, from one database to another. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/files.h"
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
static settings given;

/* ---- export ---------------------------------------------------------------------------------- */

static int export_wisdom(const char *kernel)
{
    cli_session session;
    gputune_wisdom_filter filter = GPUTUNE_WISDOM_FILTER_INIT;
    const cli_stored *stored = &given.stored;
    bool any = stored->any_gpu || stored->gpu;
    uint32_t count;
    char *text;
    given.common.read_only = true;
    filter.kernel = kernel;
    filter.gpu = stored->gpu;
    filter.any_gpu = stored->any_gpu;
    filter.whole = given.whole;
    CLI_TRY(cli_stored_sizes(&filter.sizes, &stored->sizes));
    CLI_TRY(cli_open(&session, &given.common, any ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE));
    CLI_TRY(cli_passed(gputune_wisdom_export(&text, &count, session.tuner, &filter)));
    int code = CLI_EXIT_NOTHING;
    if (count || !given.output) { /* a file is not replaced by nothing */
        code = cli_output_text(given.output, true, text);
    }
    cli_note("%u result%s", count, gt_plural(count));
    return count ? code : CLI_EXIT_NOTHING;
}

/* ---- import ---------------------------------------------------------------------------------- */

static int import_files(const cli_arguments *files)
{
    cli_session session;
    gputune_wisdom_options options = GPUTUNE_WISDOM_OPTIONS_INIT;
    options.trust = given.trust ? GPUTUNE_TRUST_BOUND : GPUTUNE_TRUST_NOTHING;
    options.keep = true;
    const char *device = given.common.device;
    bool none = device && strcmp(device, "none") == 0;
    CLI_TRY(cli_open(&session, &given.common,
                     given.trust && !none ? CLI_OPEN_DEVICE : CLI_OPEN_NO_DEVICE));
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
    return cli_check_database(&session, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int carry(const cli_arguments *arguments)
{
    const char *verb = arguments->items[0];
    const cli_arguments rest = {arguments->items + 1, arguments->count - 1};
    if (strcmp(verb, "export") == 0 && rest.count < 2) {
        return export_wisdom(rest.count ? rest.items[0] : NULL);
    }
    if (strcmp(verb, "import") == 0 && rest.count) {
        return import_files(&rest);
    }
    return cli_stop(CLI_EXIT_USAGE, "wisdom: expected 'export [KERNEL]' or 'import FILE...'");
}

static const cli_option options[] = {
    CLI_STORED_OPTIONS(&given.stored),
    {"output", 'o', CLI_OPTION_TEXT, &given.output, "FILE", "export: write there [stdout]", NULL},
    {"whole", 0, CLI_OPTION_FLAG, &given.whole, NULL,
     "export: with the winners' code, which import --trust takes over, and with the fastest "
     "other trials, from which searches at other sizes begin",
     NULL},
    {"trust", 0, CLI_OPTION_FLAG, &given.trust, NULL,
     "import: do not prove again what was measured with this driver, on this kind of GPU, from "
     "the same generated source",
     NULL},
    CLI_TUNER_OPTIONS(&given.common),
    CLI_MESSAGE_OPTIONS(&given.common),
    CLI_OPTIONS_END,
};

const cli_command cmd_wisdom = {
    "wisdom",
    "winners as text, from one database to another",
    "export [KERNEL] | import FILE...",
    "Carries winners as text from one database to another.",
    "The text has no code without --whole. What is imported is compiled and proved when it is "
    "first "
    "asked for, unless it is trusted. "
    "What was measured here stays. Programs read the text by gputune_wisdom_import().",
    1,
    (size_t)-1,
    options,
    carry};
