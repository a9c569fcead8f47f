/* Collects and prints what the sanitizer found. */
#include "cli/check.h"

#include "cli/console.h"
#include "cli/memory.h"

#include <string.h>

enum { USUAL_VARIANTS = 16 };
static const double usual_limit_s = 600;

/* ---- collecting ---- */

static cli_mistake *find(const cli_checked *checked, const gputune_finding *finding)
{
    for (size_t i = 0; i < checked->count; i++) {
        cli_mistake *mistake = &checked->items[i];
        if (mistake->line == finding->line && mistake->other_line == finding->other_line &&
            strcmp(mistake->kind, finding->kind) == 0 &&
            strcmp(mistake->file, finding->file) == 0) {
            return mistake;
        }
    }
    return NULL;
}

static cli_mistake *add_new(cli_checked *checked, const gputune_finding *finding)
{
    checked->items = cli_grow(checked->items, checked->count, sizeof *checked->items);
    cli_mistake *mistake = &checked->items[checked->count++];
    *mistake = (cli_mistake){.kernel = cli_copy(finding->kernel),
                             .configuration = cli_copy(finding->configuration),
                             .sizes = cli_copy(finding->sizes),
                             .kind = cli_copy(finding->kind),
                             .file = cli_copy(finding->file),
                             .where = cli_copy(finding->where),
                             .thread = cli_copy(finding->thread),
                             .other_thread = cli_copy(finding->other_thread),
                             .message = cli_copy(finding->message),
                             .line = finding->line,
                             .other_line = finding->other_line};
    return mistake;
}

static int add(void *user, const gputune_finding *finding)
{
    cli_checked *checked = user;
    if (strcmp(finding->kind, "checked") == 0) {
        checked->variants++;
    } else if (!finding->count) {
        checked->unchecked++;
        cli_note("%s %s could not be checked: %s", finding->kernel, finding->configuration,
                 finding->message);
    } else {
        cli_mistake *mistake = find(checked, finding);
        mistake = mistake ? mistake : add_new(checked, finding);
        mistake->count += finding->count;
        mistake->variants += mistake->variant != checked->variants + 1;
        mistake->variant = checked->variants + 1;
    }
    return *cli_cancel() ? GPUTUNE_ECANCELED : 0;
}

int cli_check_kernel(cli_checked *out, const cli_session *session, const char *kernel,
                     gputune_sizes sizes, const gputune_options *options, bool all)
{
    gputune_options own = *options;
    own.max_variants = all ? 0 : own.max_variants ? own.max_variants : USUAL_VARIANTS;
    own.time_limit_s = own.time_limit_s > 0 ? own.time_limit_s : usual_limit_s;
    int status = gputune_check(session->tuner, kernel, sizes, &own, add, out);
    int code = status < 0 ? cli_fail(status) : CLI_EXIT_OK;
    if (status >= 0) {
        cli_note("%s: %u variant%s checked, %zu mistake%s found", kernel, out->variants,
                 out->variants == 1 ? "" : "s", out->count, out->count == 1 ? "" : "s");
    }
    return out->count ? CLI_EXIT_FOUND : code;
}

/* ---- printing ---- */

#define TEXT(name)                                                                                 \
    {                                                                                              \
#name, #name, CLI_TEXT, CLI_IN_DATA, offsetof(cli_mistake, name), NULL                     \
    }
#define NUMBER(name, kind)                                                                         \
    {                                                                                              \
#name, #name, kind, CLI_IN_DATA, offsetof(cli_mistake, name), NULL                         \
    }
static const cli_column columns[] = {
    TEXT(kernel),
    TEXT(kind),
    TEXT(file),
    NUMBER(line, CLI_COUNT),
    NUMBER(other_line, CLI_COUNT),
    TEXT(message),
    TEXT(where),
    TEXT(thread),
    TEXT(other_thread),
    TEXT(configuration),
    TEXT(sizes),
    NUMBER(variants, CLI_COUNT),
    NUMBER(count, CLI_BIG_COUNT),
};

static void write_line(const cli_mistake *m, FILE *file)
{
    fprintf(file, "%s:%u: %s: ", m->file, m->line, m->kind);
    fprintf(file, "%s%s%s; %s", m->where, m->where[0] ? " " : "", m->message, m->thread);
    if (m->other_thread[0]) {
        fprintf(file, ", and at line %u %s", m->other_line, m->other_thread);
    }
    fprintf(file, " (%s, %s; in %u variant%s, %llu times)\n", m->configuration, m->sizes,
            m->variants, m->variants == 1 ? "" : "s", (unsigned long long)m->count);
}

void cli_checked_write(const cli_checked *checked, cli_format_kind format, FILE *file)
{
    cli_table table = {"findings", columns, sizeof columns / sizeof *columns, NULL, 0, 0};
    for (size_t i = 0; i < checked->count; i++) {
        if (format == CLI_FORMAT_TABLE) {
            write_line(&checked->items[i], file);
        } else {
            cli_table_add(&table, &checked->items[i]);
        }
    }
    if (format != CLI_FORMAT_TABLE) {
        cli_table_write(&table, format, file);
    }
}

/* ---- before a tuning ---- */

static int check_each(const cli_session *session, const cli_selection *selection)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    cli_catalogue catalogue;
    CLI_TRY(cli_catalogue_find(&catalogue, session, selection->kernels, selection->kernel_count));
    int code = CLI_EXIT_OK;
    for (size_t i = 0; i < catalogue.count && !*cli_cancel(); i++) {
        cli_checked checked = {0};
        code = cli_worse(code, cli_check_kernel(&checked, session, catalogue.kernels[i].name,
                                                (gputune_sizes){0}, &options, false));
        cli_checked_write(&checked, CLI_FORMAT_TABLE, stderr);
    }
    return code == CLI_EXIT_OK ? CLI_CONTINUE : code;
}

int cli_check_first(const cli_common *common, const cli_selection *selection)
{
    cli_common emulated = *common;
    cli_session session;
    emulated.driver = "emu";
    emulated.device = NULL;
    int code = cli_open(&session, &emulated, CLI_OPEN_TUNING);
    if (code == CLI_CONTINUE) {
        code = check_each(&session, selection);
        cli_close(&session);
    }
    return code;
}
