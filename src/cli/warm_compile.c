/* warm --compile-only: compiles and stores every variant, and measures nothing. */
#include "cli/warm.h"

#include "cli/console.h"
#include "cli/table.h"

#include <string.h>
#include <time.h>

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, title, unit, where) CLI_FIELD(gputune_compiled, name, title, unit, where)

/* The compiler's log of a variant that failed. The log of the others has nothing that the row
 * lacks. */
static void failure_log(cli_cell *out, const void *item)
{
    const gputune_compiled *compiled = item;
    cli_set_text(out, strcmp(compiled->status, "ok") ? compiled->log : "");
}

static const cli_column columns[] = {
    SAME(kernel, "kernel", CLI_TEXT, BOTH),
    SAME(arch, "arch", CLI_TEXT, BOTH),
    SAME(configuration, "configuration", CLI_TEXT, BOTH),
    SAME(status, "status", CLI_TEXT, BOTH),
    SAME(registers, "regs", CLI_SOME_COUNT, BOTH),
    SAME(spill_bytes, "spills", CLI_COUNT, BOTH),
    SAME(shared_bytes, "shared", CLI_COUNT, BOTH),
    SAME(compile_ns, "compile", CLI_TIME, BOTH),
    SAME(message, "message", CLI_TEXT, BOTH),
    {"log", "", CLI_TEXT, DATA, 0, failure_log},
};

typedef struct work {
    cli_table table;
    const cli_scenario *scenario;
    uint32_t done, failed;
    time_t shown;
} work;

static void show_progress(work *at)
{
    time_t now = time(NULL);
    if (!cli_console_is_live() || now == at->shown) {
        return;
    }
    at->shown = now;
    cli_console_progress("%s: %u compiled", at->scenario->label, at->done);
}

static int add(void *user, const gputune_compiled *compiled)
{
    work *at = user;
    bool ok = strcmp(compiled->status, "ok") == 0;
    at->done++;
    at->failed += !ok;
    cli_table_add(&at->table, compiled);
    if (!ok && compiled->log && compiled->log[0]) {
        cli_console_log(NULL, GPUTUNE_LOG_INFO, compiled->log);
    }
    show_progress(at);
    return *cli_cancel() ? GPUTUNE_ECANCELED : 0;
}

static int compile(work *at, const cli_warm *warm, const cli_session *session)
{
    gputune_options options = cli_tuning_options(&warm->tuning, at->scenario);
    uint32_t before = at->done, failed_before = at->failed;
    int status = gputune_compile(session->tuner, at->scenario->kernel->name,
                                 cli_scenario_sizes(at->scenario), warm->arch, &options, add, at);
    cli_console_progress_end();
    if (*cli_cancel()) {
        return CLI_EXIT_CANCELED;
    }
    if (status < 0) {
        return cli_fail_at(status, at->scenario->label);
    }
    uint32_t done = at->done - before, failed = at->failed - failed_before;
    cli_note("%s: %u variants compiled, %u failed", at->scenario->label, done - failed, failed);
    return done > failed ? CLI_EXIT_OK : CLI_EXIT_TEMPLATE;
}

int cli_warm_compile(const cli_warm *warm, const cli_session *session,
                     const cli_scenarios *scenarios)
{
    work at = {.table = CLI_TABLE("variants", columns, CLI_VIEW)};
    int code = CLI_EXIT_OK;
    for (size_t i = 0; i < scenarios->count && !*cli_cancel(); i++) {
        at.scenario = &scenarios->items[i];
        code = cli_worse(code, compile(&at, warm, session));
    }
    cli_table_write(&at.table, (cli_format_kind)warm->common.format, stdout);
    return cli_check_database(session, code);
}
