/* The command check: runs a kernel's variants on the emulator to find races and other mistakes. */
#include "cli/scenarios.h"
#include "cli/table.h"

#include <string.h>

/* A kind of mistake at a pair of source lines, which may occur in several variants. */
typedef struct mistake {
    gputune_finding first; /* finding in the first variant with the mistake */
    uint32_t variants;
    uint32_t variant; /* number of the last variant with the mistake, counted from 1 */
    uint64_t count;   /* number of times that the mistake was found, over all variants */
} mistake;

typedef struct checked {
    cli_table mistakes;
    uint32_t variants;
} checked;

#define FIRST(name, unit) CLI_AS(#name, mistake, first.name, #name, unit, CLI_IN_DATA)
static const cli_column columns[] = {
    FIRST(kernel, CLI_TEXT),
    FIRST(kind, CLI_TEXT),
    FIRST(file, CLI_TEXT),
    FIRST(line, CLI_COUNT),
    FIRST(other_line, CLI_COUNT),
    FIRST(message, CLI_TEXT),
    FIRST(where, CLI_TEXT),
    FIRST(thread, CLI_TEXT),
    FIRST(other_thread, CLI_TEXT),
    FIRST(configuration, CLI_TEXT),
    FIRST(sizes, CLI_TEXT),
    CLI_FIELD(mistake, variants, "variants", CLI_COUNT, CLI_IN_DATA),
    CLI_FIELD(mistake, count, "count", CLI_BIG_COUNT, CLI_IN_DATA),
};

enum { USUAL_VARIANTS = 16 };

static int add_finding(void *user, const gputune_finding *finding)
{
    checked *checked = user;
    cli_table *table = &checked->mistakes;
    if (strcmp(finding->kind, "checked") == 0) {
        checked->variants++;
    } else if (!finding->count) {
        cli_note("%s %s could not be checked: %s", finding->kernel, finding->configuration,
                 finding->message);
    } else {
        mistake *known = NULL;
        for (size_t i = 0; i < table->row_count && !known; i++) {
            const gputune_finding *first = table->rows[i];
            bool same = first->line == finding->line && first->other_line == finding->other_line &&
                        strcmp(first->kind, finding->kind) == 0 &&
                        strcmp(first->file, finding->file) == 0;
            known = same ? table->rows[i] : NULL;
        }
        known = known ? known : cli_table_add(table, &(mistake){.first = *finding});
        known->count += finding->count;
        known->variants += known->variant != checked->variants + 1;
        known->variant = checked->variants + 1;
    }
    cli_console_progress("%s: %u variant%s checked, %zu mistake%s so far", finding->kernel,
                         checked->variants, gt_plural(checked->variants), table->row_count,
                         gt_plural(table->row_count));
    return cli_canceled ? GPUTUNE_ECANCELED : 0;
}

static void write_line(const mistake *mistake)
{
    const gputune_finding *m = &mistake->first;
    const char *threads = m->other_thread[0]
                              ? cli_format("this access: %s; other access: %s, line %u", m->thread,
                                           m->other_thread, m->other_line)
                              : cli_format("in %s", m->thread);
    printf("%s:%u: %s: %s%s%s; %s (%s%s%s; in %u variant%s, %llu time%s)\n", m->file, m->line,
           m->kind, m->where, m->where[0] ? " " : "", m->message, threads, m->configuration,
           m->configuration[0] ? ", " : "", m->sizes, mistake->variants,
           gt_plural(mistake->variants), (unsigned long long)mistake->count,
           gt_plural(mistake->count));
}

static bool all; /* the option */

static int check_scenario(const cli_session *session, const cli_scenario *scenario)
{
    checked checked = {.mistakes = CLI_TABLE("findings", columns, mistake, 0)};
    const cli_table *table = &checked.mistakes;
    const char *kernel = scenario->kernel->name;
    gputune_options options = cli_tuning_options(scenario);
    gputune_sizes sizes = cli_given.selection.sizes.count ? scenario->sizes : (gputune_sizes){0};
    options.max_variants = all ? 0 : options.max_variants ? options.max_variants : USUAL_VARIANTS;
    cli_console_progress("%s: compiling", kernel);
    int status = gputune_check(session->tuner, scenario->kernel->given, sizes, &options,
                               add_finding, &checked);
    cli_console_progress_end();
    int code = status < 0 ? cli_fail(status) : CLI_EXIT_OK;
    if (status >= 0) {
        cli_note("%s: %u variant%s checked, %zu mistake%s found", kernel, checked.variants,
                 gt_plural(checked.variants), table->row_count, gt_plural(table->row_count));
    }
    if (cli_given.format != CLI_FORMAT_TABLE) {
        cli_table_print(table);
    }
    for (size_t i = 0; i < table->row_count && cli_given.format == CLI_FORMAT_TABLE; i++) {
        write_line(table->rows[i]);
    }
    return cli_canceled ? CLI_EXIT_CANCELED : table->row_count ? CLI_EXIT_FOUND : code;
}

static const cli_option options[] = {
    CLI_ONE_SIZE_OPTION,
    CLI_ONLY_OPTION,
    {"all", 'a', CLI_OPTION_FLAG, &all, NULL, NULL, "every variant"},
    {"max-variants", 'm', CLI_OPTION_COUNT, &cli_tuning.options.max_variants, "COUNT", NULL,
     "at most this many variants: the default and others at random [16]"},
    {"seed", 0, CLI_OPTION_COUNT, &cli_tuning.seed, "NUMBER", NULL,
     "seed for choosing the variants and inputs"},
    {"time-limit", 't', CLI_OPTION_NUMBER, &cli_tuning.options.time_limit_s, "SECONDS", NULL,
     "for the whole check [600]"},
    CLI_FORMAT_OPTION,
    {"device", 'd', CLI_OPTION_TEXT, &cli_given.device, "DEVICE", NULL,
     "the emulator's GPU: 0, 1, ..., or a UUID [0]"},
    {"driver", 0, CLI_OPTION_TEXT, &cli_given.driver, "DRIVER", NULL,
     "emu or emu:PROFILE: the emulator, as another GPU [emu]"},
    CLI_FILE_OPTIONS,
};

static int check_kernels(const cli_list *arguments)
{
    cli_given.selection.keeps_sizes = !cli_given.selection.sizes.count;
    cli_given.driver = cli_given.driver ? cli_given.driver : "emu";
    return cli_single(CLI_OPEN_TUNING, arguments->items[0], check_scenario);
}

const cli_command cmd_check = {
    "check",
    "find bugs in a kernel's variants, without a GPU",
    "KERNEL|PATH",
    "Looks for mistakes in a kernel's variants on the emulator; stores nothing.",
    "Finds races between threads in shared and global memory, including races with asynchronous "
    "copies, with other blocks of a cluster and with the previous launch; barriers that are in "
    "divergent branches or wait forever; shuffles from threads that have returned; reads of memory "
    "that nothing has written; accesses that are misaligned or outside an argument; and writes to "
    "device variables. Without --size, the sizes of the template are reduced to about a megabyte. "
    "The exit code is 7 if something was found.",
    {1, 1},
    options,
    check_kernels};
