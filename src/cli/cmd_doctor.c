/* The command doctor: what is wrong with what tuning depends on, and what to do about it. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/session.h"
#include "cli/table.h"

#include "base/text.h"

#include <string.h>

static const char *const verdicts[] = {"ok", "warning", "failure"};

typedef struct ward {
    cli_table table;
    int code;
    size_t counts[3]; /* by verdict */
} ward;

typedef struct row {
    gputune_diagnosis diagnosis; /* the first member, which columns of diagnoses read */
    const char *verdict;
} row;

enum { BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, title) CLI_FIELD(gputune_diagnosis, name, title, CLI_TEXT, BOTH)

static const cli_column columns[] = {
    SAME(subject, "what"),
    CLI_FIELD(row, verdict, "verdict", CLI_STATUS, BOTH),
    SAME(found, "found"),
    SAME(remedy, "remedy"),
};

static int add(void *user, const gputune_diagnosis *diagnosis)
{
    ward *at = user;
    bool database = strncmp(diagnosis->subject, "database", strlen("database")) == 0;
    const row one = {*diagnosis, verdicts[diagnosis->verdict]};
    cli_table_add(&at->table, &one);
    at->counts[diagnosis->verdict]++;
    if (diagnosis->verdict == GPUTUNE_VERDICT_FAILURE) {
        at->code = cli_worse(at->code, database ? CLI_EXIT_DATABASE : CLI_EXIT_PLATFORM);
    }
    return 0;
}

static const cli_option options[] = {
    CLI_FORMAT_OPTION,
    CLI_TUNER_OPTIONS,
};

static int diagnose(const cli_arguments *arguments)
{
    gputune_open_options open_options = GPUTUNE_OPEN_OPTIONS_INIT;
    ward at = {.table = CLI_TABLE("checks", columns, row, CLI_VIEW)};
    (void)arguments;
    open_options.device = cli_given.device;
    open_options.driver = cli_given.driver;
    open_options.database = cli_given.database;
    open_options.templates = cli_given.templates;
    CLI_TRY(cli_passed(gputune_diagnose(&open_options, add, &at)));
    cli_table_print(&at.table);
    cli_note("%zu ok, %zu warning%s, %zu failure%s", at.counts[GPUTUNE_VERDICT_OK],
             at.counts[GPUTUNE_VERDICT_WARNING], gt_plural(at.counts[GPUTUNE_VERDICT_WARNING]),
             at.counts[GPUTUNE_VERDICT_FAILURE], gt_plural(at.counts[GPUTUNE_VERDICT_FAILURE]));
    return at.code;
}

const cli_command cmd_doctor = {
    "doctor",
    "what is wrong here, and what to do about it",
    "",
    "Looks at everything that tuning depends on, and says what is wrong and what to do.",
    "Driver, GPU, compiler, headers, workers, templates, database and environment variables; "
    "each is ok, a warning (results are worse, or come later, than they could) or a failure. "
    "The exit code is 3 with a failure, 6 where the database fails first. The GPU copies some "
    "memory; the database stays as it is.",
    {0, 0},
    options,
    diagnose};
