/* Compares the winners that two databases have for the same scenarios. */
#include "cli/compare.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/record_columns.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct winner {
    char *kernel, *sizes, *configuration;
    gputune_objective objective;
    gputune_cache cache;
} winner;

typedef struct winners {
    winner *items;
    size_t count;
} winners;

static int collect(void *user, const gputune_record *record)
{
    winners *all = user;
    all->items = cli_grow(all->items, all->count, sizeof *all->items);
    all->items[all->count++] =
        (winner){cli_copy(record->kernel), cli_copy(record->sizes), cli_copy(record->configuration),
                 record->objective, record->cache};
    return 0;
}

/* The winners for this GPU in the database at `path`. */
static int read_winners(winners *out, const cli_common *common, const char *path)
{
    if (access(path, R_OK) != 0) {
        cli_error("cannot read database '%s': %s", path, strerror(errno));
        return CLI_EXIT_DATABASE;
    }
    cli_common one = *common;
    one.database = path;
    one.read_only = true;
    one.quiet = true; /* the device's note is printed once */
    cli_session session;
    int code = cli_open(&session, &one, CLI_OPEN_DEVICE);
    if (code == CLI_CONTINUE) {
        gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
        int status = gputune_records(session.tuner, &filter, collect, out);
        code = status < 0 ? cli_fail(status) : CLI_CONTINUE;
        cli_close(&session);
    }
    return code;
}

static const winner *find(const winners *all, const winner *like)
{
    for (size_t i = 0; i < all->count; i++) {
        const winner *one = &all->items[i];
        if (strcmp(one->kernel, like->kernel) == 0 && strcmp(one->sizes, like->sizes) == 0 &&
            one->objective == like->objective && one->cache == like->cache) {
            return one;
        }
    }
    return NULL;
}

/* Turns "n=4 T=half" into sizes. */
static int parse_sizes(gputune_sizes *out, const char *text)
{
    cli_values values = {NULL, 0};
    if (text[strspn(text, " ")] && cli_values_parse(&values, "sizes", text) != CLI_CONTINUE) {
        return CLI_EXIT_DATABASE;
    }
    gputune_size *sizes = cli_allocate(values.count, sizeof *sizes);
    for (size_t i = 0; i < values.count; i++) {
        const cli_value_list *list = &values.lists[i];
        if (cli_size_make(&sizes[i], list->name, list->values[0]) != CLI_CONTINUE) {
            return CLI_EXIT_DATABASE;
        }
    }
    *out = (gputune_sizes){values.count, sizes};
    return CLI_CONTINUE;
}

static int measure(cli_table *table, const cli_compare *settings, const cli_session *session,
                   const winner *a, const winner *b)
{
    const char *label = cli_format("%s %s", a->kernel, a->sizes);
    gputune_sizes sizes;
    int code = parse_sizes(&sizes, a->sizes);
    if (code == CLI_CONTINUE && strcmp(a->configuration, b->configuration) == 0) {
        cli_note("%s: the same configuration, %s", label, a->configuration);
        code = CLI_EXIT_OK;
    } else if (code == CLI_CONTINUE) {
        const char *const pair[2] = {a->configuration, b->configuration};
        const cli_scenario unrestricted = {0};
        gputune_options options = cli_tuning_options(&settings->tuning, &unrestricted);
        options.objective = a->objective;
        options.cache = a->cache;
        cli_comparison at = {.table = table};
        code = cli_compare_pair(&at, session, a->kernel, sizes, pair, &options);
        cli_compare_say(&at, label);
    }
    return code;
}

/* `kernel`: the only one; NULL: all. */
static int compare_all(const cli_compare *settings, const cli_session *session, const char *kernel,
                       const winners all[2])
{
    cli_table table = cli_record_table(CLI_VIEW_COMPARE | CLI_VIEW_WINNERS);
    int code = CLI_EXIT_OK;
    size_t common = 0;
    for (size_t i = 0; i < all[0].count && !*cli_cancel(); i++) {
        const winner *a = &all[0].items[i], *b = find(&all[1], a);
        if (b && (!kernel || strcmp(a->kernel, kernel) == 0)) {
            common++;
            code = cli_worse(code, measure(&table, settings, session, a, b));
        }
    }
    cli_table_write(&table, (cli_format_kind)settings->common.format, stdout);
    if (!common) {
        cli_error("the databases have no scenario of this GPU in common");
        return CLI_EXIT_NOTHING;
    }
    return *cli_cancel() ? CLI_EXIT_CANCELED : code;
}

/* Finds the template of the kernel that is named, and compares its scenarios, or all. */
static int compare_named(const cli_compare *settings, const cli_session *session,
                         const winners all[2])
{
    const char *kernel;
    int code = cli_catalogue_stored_one(&kernel, session, settings->kernel);
    if (code == CLI_CONTINUE) {
        cli_catch_interrupt();
        code = compare_all(settings, session, kernel, all);
    }
    return code;
}

int cli_compare_databases(const cli_compare *settings)
{
    winners all[2] = {{NULL, 0}, {NULL, 0}};
    cli_common scratch = settings->common;
    cli_session session;
    int code = CLI_CONTINUE;
    for (size_t i = 0; i < 2 && code == CLI_CONTINUE; i++) {
        code = read_winners(&all[i], &settings->common, settings->sides[i]);
    }
    scratch.database = ":memory:";
    if (code == CLI_CONTINUE) {
        code = cli_open(&session, &scratch, CLI_OPEN_TUNING);
    }
    if (code == CLI_CONTINUE) {
        code = compare_named(settings, &session, all);
        cli_close(&session);
    }
    return code;
}
