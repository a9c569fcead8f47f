/* The command compare: two configurations of a kernel, or two databases. */
#include "cli/commands.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/failures.h"
#include "cli/record_columns.h"
#include "cli/scenarios.h"
#include "cli/table.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The options. */
static struct {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    char *kernel;         /* before two databases; NULL: none is named */
    const char *sides[2]; /* configurations, or databases */
} given;

/* The result of comparing one pair. Its rows go to `table`. */
typedef struct comparison {
    cli_table *table;
    int code;
    double speedup;      /* A's time over B's */
    const char *verdict; /* of B: "faster", "slower", "same"; "" or NULL: none */
} comparison;

static int keep(void *user, const gputune_record *record)
{
    comparison *at = user;
    cli_record_add(at->table, record);
    int code = cli_trial_exit_code(record->status);
    at->code = code ? code : at->code;
    at->speedup = record->speedup;
    at->verdict = cli_verdict(record);
    return cli_is_canceled() ? GPUTUNE_ECANCELED : 0;
}

/* Measures a pair. Returns the exit code. */
static int compare_pair(comparison *at, const cli_session *session, const char *kernel,
                        gputune_sizes sizes, const char *const pair[2],
                        const gputune_options *options)
{
    int status = gputune_run(session->tuner, kernel, sizes, pair, 2, options, keep, at);
    if (cli_is_canceled()) {
        return CLI_EXIT_CANCELED;
    }
    int code = status < 0 ? cli_fail(status) : at->code;
    for (size_t i = 0; i < 2 && code == CLI_EXIT_TEMPLATE; i++) {
        cli_compile_log(session, kernel, sizes, pair[i]);
    }
    return code;
}

/* A line on stderr with the verdict. */
static void say_verdict(const comparison *at, const char *label)
{
    if (at->verdict && at->verdict[0]) {
        cli_note("%s: B is %s (%.3fx)", label,
                 strcmp(at->verdict, "same") == 0 ? "the same as A" : at->verdict, at->speedup);
    }
}

/* ---- of two databases ------------------------------------------------------------------------ */

typedef struct winners {
    gputune_record *items;
    size_t count;
} winners;

static int collect(void *user, const gputune_record *record)
{
    winners *all = user;
    cli_push(all->items, all->count, cli_record_copy(record, NULL));
    return 0;
}

/* The winners for this GPU in the database at `path`. */
static int read_winners(winners *out, const cli_common *common, const char *path)
{
    CLI_REFUSE(access(path, R_OK) != 0, CLI_EXIT_DATABASE, "cannot read database '%s': %s", path,
               strerror(errno));
    cli_common one = *common;
    one.database = path;
    one.read_only = true;
    one.quiet = true; /* the device's note is printed once */
    cli_session session;
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    CLI_TRY(cli_open(&session, &one, CLI_OPEN_DEVICE));
    return cli_passed(gputune_records(session.tuner, &filter, collect, out));
}

static const gputune_record *find(const winners *all, const gputune_record *like)
{
    for (size_t i = 0; i < all->count; i++) {
        const gputune_record *one = &all->items[i];
        if (strcmp(one->kernel, like->kernel) == 0 && strcmp(one->sizes, like->sizes) == 0 &&
            one->objective == like->objective && one->cache == like->cache) {
            return one;
        }
    }
    return NULL;
}

static int measure(cli_table *table, const cli_session *session, const gputune_record *a,
                   const gputune_record *b)
{
    const char *label = cli_format("%s %s", a->kernel, a->sizes);
    gputune_sizes sizes;
    if (!cli_sizes_read(&sizes, a->sizes)) {
        return CLI_EXIT_DATABASE;
    }
    if (strcmp(a->configuration, b->configuration) == 0) {
        cli_note("%s: the same configuration, %s", label, a->configuration);
        return CLI_EXIT_OK;
    }
    const char *const pair[2] = {a->configuration, b->configuration};
    const cli_scenario unrestricted = {0};
    gputune_options options = cli_tuning_options(&given.tuning, &unrestricted);
    options.objective = a->objective;
    options.cache = a->cache;
    comparison at = {.table = table};
    int code = compare_pair(&at, session, a->kernel, sizes, pair, &options);
    say_verdict(&at, label);
    return code;
}

/* `kernel`: the only one; NULL: all. */
static int compare_all(const cli_session *session, const char *kernel, const winners all[2])
{
    cli_table table = cli_record_table(CLI_VIEW_COMPARE | CLI_VIEW_WINNERS);
    int code = CLI_EXIT_OK;
    size_t common = 0;
    for (size_t i = 0; i < all[0].count && !cli_is_canceled(); i++) {
        const gputune_record *a = &all[0].items[i], *b = find(&all[1], a);
        if (b && (!kernel || strcmp(a->kernel, kernel) == 0)) {
            common++;
            code = cli_worse(code, measure(&table, session, a, b));
        }
    }
    cli_table_print(&table, given.common.format);
    CLI_REFUSE(!common, CLI_EXIT_NOTHING, "the databases have no scenario of this GPU in common");
    return cli_is_canceled() ? CLI_EXIT_CANCELED : code;
}

/* Compares the winners of two databases scenario by scenario: of the kernel that is named, or of
 * all. Returns the exit code. */
static int compare_databases(void)
{
    winners all[2] = {{NULL, 0}, {NULL, 0}};
    cli_common scratch = given.common;
    cli_session session;
    const char *kernel;
    for (size_t i = 0; i < 2; i++) {
        CLI_TRY(read_winners(&all[i], &given.common, given.sides[i]));
    }
    scratch.database = ":memory:";
    CLI_TRY(cli_open(&session, &scratch, CLI_OPEN_TUNING));
    CLI_TRY(cli_catalogue_stored_one(&kernel, &session, given.kernel));
    cli_catch_interrupt();
    return compare_all(&session, kernel, all);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int compare_configurations(const cli_session *session, const cli_scenario *scenario)
{
    cli_table table = cli_record_table(CLI_VIEW_COMPARE);
    comparison at = {.table = &table};
    gputune_options options = cli_tuning_options(&given.tuning, scenario);
    int code =
        compare_pair(&at, session, scenario->kernel->name, scenario->sizes, given.sides, &options);
    cli_table_print(&table, given.common.format);
    if (code == CLI_EXIT_OK) {
        say_verdict(&at, scenario->label);
    }
    return code;
}

/* A word that is neither a path nor a file is a kernel or a configuration; one of the two was
 * forgotten. */
static int check_databases(const char *const sides[2])
{
    for (size_t i = 0; i < 2; i++) {
        bool is_path = !strchr(sides[i], '=') && strpbrk(sides[i], "./");
        CLI_REFUSE(!is_path && access(sides[i], F_OK) != 0, CLI_EXIT_USAGE,
                   "compare: '%s' is not a database; two configurations of a kernel are compared "
                   "by 'gputune compare KERNEL A B'",
                   sides[i]);
    }
    return CLI_CONTINUE;
}

/* Two databases, alone or after a kernel: files, and no configurations. */
static bool are_databases(const cli_arguments *arguments)
{
    size_t count = arguments->count;
    for (size_t i = count - 2; i < count; i++) {
        if (strchr(arguments->items[i], '=') || access(arguments->items[i], F_OK) != 0) {
            return count == 2;
        }
    }
    return true;
}

static const cli_option options[] = {
    CLI_SIZE_OPTION(&given.selection),
    {"objective", 'o', CLI_OPTION_CHOICE, &given.tuning.objective, NULL, cli_objective_words,
     "what is measured"},
    CLI_CACHE_OPTION(&given.tuning),
    CLI_LIMIT_OPTION(&given.tuning),
    CLI_ALIGNMENT_OPTION(&given.tuning),
    CLI_SAMPLES_OPTION(&given.tuning),
    CLI_FORMAT_OPTION(&given.common),
    CLI_TUNER_OPTIONS(&given.common),
};

static int compare(const cli_arguments *arguments)
{
    size_t count = arguments->count;
    given.sides[0] = arguments->items[count - 2];
    given.sides[1] = arguments->items[count - 1];
    given.kernel = count == 3 ? arguments->items[0] : NULL;
    if (!are_databases(arguments)) {
        return cli_single(&given.common, CLI_OPEN_TUNING, &given.selection, arguments->items,
                          compare_configurations);
    }
    CLI_TRY(check_databases(given.sides));
    return compare_databases();
}

const cli_command cmd_compare = {
    "compare",
    "which of two configurations is faster, or of two databases",
    "KERNEL|PATH A B | [KERNEL|PATH] A.db B.db",
    "Measures two configurations of a kernel interleaved, and says which is faster. Of two "
    "databases: every scenario (of the kernel that is named) for which both have a winner on "
    "this GPU. A template that is not among the installed ones is named by its path.",
    "Speed-up is A's time over B's, paired, with its 95% interval: B is faster when the whole "
    "interval is above 1, slower when below, else the same.",
    2,
    3,
    options,
    compare};
