/* Drops stored records, and says which. */
#include "cli/forget.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/record_columns.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct dropped {
    cli_table table; /* of the winners */
    size_t trials;
} dropped;

static int add(void *user, const gputune_record *record)
{
    dropped *at = user;
    at->trials++;
    if (record->is_winner) {
        cli_record_add(&at->table, record);
    }
    return 0;
}

static int count(void *user, const gputune_record *record)
{
    (void)record;
    ++*(size_t *)user;
    return 0;
}

/* Whether the filter finds anything at all, of any version. */
static int check_stored(const cli_session *session, gputune_record_filter filter)
{
    size_t found = 0;
    filter.all_trials = filter.history = true;
    int status = gputune_records(session->tuner, &filter, count, &found);
    if (status < 0 && status != GPUTUNE_ENOTFOUND) {
        return cli_fail(status);
    }
    return found ? CLI_CONTINUE : cli_stored_nothing(session, &filter);
}

static int drop(const cli_forget *forget, const cli_session *session, const char *kernel)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = kernel;
    CLI_TRY(cli_stored_filter(&filter, &forget->stored, session));
    CLI_TRY(kernel ? check_stored(session, filter) : CLI_CONTINUE);
    dropped at = {.table =
                      cli_record_table(CLI_VIEW_WINNERS | (filter.any_gpu ? CLI_VIEW_ANY_GPU : 0))};
    int status = gputune_forget(session->tuner, &filter, &forget->what, add, &at);
    if (status < 0) {
        return cli_fail(status);
    }
    cli_table_write(&at.table, (cli_format_kind)forget->common.format, stdout);
    cli_note("%s%zu winner%s and %zu trial%s", forget->what.only_say ? "would drop " : "dropped ",
             at.table.row_count, gt_plural(at.table.row_count), at.trials, gt_plural(at.trials));
    return CLI_EXIT_OK;
}

int cli_forget_records(const cli_forget *forget, char *kernel)
{
    const char *database = forget->common.database, *name;
    cli_session session;
    if (database && access(database, F_OK) != 0) {
        cli_error("the database %s cannot be used: %s", database, strerror(errno));
        return CLI_EXIT_DATABASE;
    }
    CLI_TRY(cli_open(&session, &forget->common, CLI_OPEN_IF_ANY));
    int code = cli_catalogue_stored_one(&name, &session, kernel);
    if (code == CLI_CONTINUE) {
        code = drop(forget, &session, name);
    }
    cli_close(&session);
    return code;
}
