/* The command wisdom: winners as text, from one database to another. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/files.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "cli/tool.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    cli_common common;
    cli_stored stored;
    const char *output, *key, *signed_by;
    cli_list urls;
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
    if (code == CLI_EXIT_OK && given.key) {
        code = cli_table_sign(given.output, given.key);
    }
    cli_note("%u result%s", count, gt_plural(count));
    return count ? code : CLI_EXIT_NOTHING;
}

/* ---- import ---------------------------------------------------------------------------------- */

/* What is checked must be what is imported, whoever may write the file meanwhile. */
static int copy_file(const char *from, const char *to)
{
    size_t bytes;
    cli_output output;
    const char *text = cli_read_text(from, &bytes);
    if (!text) {
        return cli_stop(CLI_EXIT_NOTHING, "cannot read '%s': %s", from, strerror(errno));
    }
    CLI_TRY(cli_output_open(&output, to, true));
    (void)fwrite(text, 1, bytes, output.file);
    int code = cli_output_close(&output, CLI_EXIT_OK);
    return code == CLI_EXIT_OK ? CLI_CONTINUE : code;
}

/* Brings a table, and its signature where one is asked for, into a folder that nobody else writes.
 * *who: whose signature it is. */
static int bring(char **who, const char *source, bool is_url, const char *table)
{
    int (*const take)(const char *, const char *) = is_url ? cli_table_fetch : copy_file;
    CLI_TRY(take(source, table));
    if (!given.signed_by) {
        return CLI_CONTINUE;
    }
    const char *ending = cli_table_signature(given.signed_by);
    if (!ending) {
        return CLI_EXIT_USAGE;
    }
    const cli_signed what = {table, cli_format("%s%s", table, ending),
                             cli_format("%s%s", source, ending)};
    CLI_TRY(take(what.name, what.signature));
    return cli_table_check(who, &what, given.signed_by);
}

static int load(const cli_session *session, const char *path, const char *source, const char *who,
                const gputune_wisdom_options *options)
{
    uint32_t count;
    int status = gputune_wisdom_load(&count, session->tuner, path, options);
    if (status < 0) {
        const char *message = gputune_error(), *named = strstr(message, path);
        size_t before = named ? (size_t)(named - message) : 0;
        cli_error("%.*s%s%s", (int)before, message, named ? source : "",
                  named ? named + strlen(path) : message);
        return cli_exit_code(status);
    }
    cli_note("%s: %u result%s%s%s", source, count, gt_plural(count), who ? ", signed by " : "",
             who ? who : "");
    return count ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

static int import(const cli_session *session, const char *source, bool is_url,
                  const gputune_wisdom_options *options)
{
    char *who = NULL;
    if (!is_url && !given.signed_by) {
        return load(session, source, source, NULL, options);
    }
    char *folder = cli_tool_make_folder();
    if (!folder) {
        return CLI_EXIT_NOTHING;
    }
    const char *table = cli_format("%s/table", folder);
    int code = bring(&who, source, is_url, table);
    code = code == CLI_CONTINUE ? load(session, table, source, who, options) : code;
    cli_tool_remove_folder(folder);
    return code;
}

static int import_all(const cli_arguments *files)
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
    const cli_list *urls = &given.urls;
    cli_catch_interrupt();
    for (size_t i = 0; i < files->count + urls->count && !*cli_cancel(); i++) {
        bool is_url = i >= files->count;
        const char *source = is_url ? urls->items[i - files->count] : files->items[i];
        code = cli_worse(code, import(&session, source, is_url, &options));
    }
    code = *cli_cancel() ? CLI_EXIT_CANCELED : code;
    return cli_check_database(&session, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int carry(const cli_arguments *arguments)
{
    const char *verb = arguments->items[0];
    const cli_arguments rest = {arguments->items + 1, arguments->count - 1};
    if (given.key && (!given.output || strcmp(verb, "export") != 0)) {
        return cli_stop(CLI_EXIT_USAGE, "wisdom: --sign goes with export and --output, beside "
                                        "which the signature is written");
    }
    if (strcmp(verb, "export") == 0 && rest.count < 2) {
        return export_wisdom(rest.count ? rest.items[0] : NULL);
    }
    if (strcmp(verb, "import") == 0 && rest.count + given.urls.count) {
        return import_all(&rest);
    }
    return cli_stop(CLI_EXIT_USAGE,
                    "wisdom: expected 'export [KERNEL]' or 'import FILE...', or --from URL");
}

static const cli_option options[] = {
    CLI_STORED_OPTIONS(&given.stored),
    {"output", 'o', CLI_OPTION_TEXT, &given.output, "FILE", "export: write there [stdout]", NULL},
    {"whole", 0, CLI_OPTION_FLAG, &given.whole, NULL,
     "export: with the winners' code, which import --trust takes over, and with the fastest "
     "other trials, from which searches at other sizes begin",
     NULL},
    {"sign", 0, CLI_OPTION_TEXT, &given.key, "KEY",
     "export: sign the file with this secret key of minisign or ssh, beside it as .minisig or .sig",
     NULL},
    {"signed-by", 0, CLI_OPTION_TEXT, &given.signed_by, "KEYS",
     "import: only what has a signature beside it by one of these: minisign's public key, or a "
     "file of allowed signers (ssh-keygen)",
     NULL},
    {"from", 0, CLI_OPTION_LIST, &given.urls, "URL",
     "import: fetch it by curl (https: or file:); may be repeated", NULL},
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
    "export [KERNEL] | import FILE... [--from URL]",
    "Carries winners as text from one database to another.",
    "The text has no code without --whole. What is imported is compiled and proved when it is "
    "first "
    "asked for, unless it is trusted. "
    "What was measured here stays. Programs read the text by gputune_wisdom_import().",
    1,
    (size_t)-1,
    options,
    carry};
