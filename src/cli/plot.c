/* How a search went: the best so far against time, and the distribution of times. */
#include "cli/plot.h"

#include "cli/memory.h"
#include "cli/units.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 12, BAR_CELLS = 40 };

/* A row of both plots, for programs and for people. */
typedef struct row {
    const char *kernel, *sizes, *gpu, *environment, *scenario;
    gputune_objective objective;
    double elapsed_s, best_ns,
        over; /* since the first trial; best_ns over the best of all, minus 1 */
    const char *configuration;
    double from_ns, to_ns; /* of a bin */
    uint32_t variants;     /* tried so far; in a bin */
    const char *has;       /* "winner", "default" */
    char *bar;
} row;

static void over(cli_cell *out, const void *item)
{
    double cost = ((const row *)item)->over;
    cli_set_text(out, cost < 0.0005 ? "best" : cli_format("+%.1f%%", cost * 100));
}

static void after(cli_cell *out, const void *item)
{
    cli_set_text(out, cli_format("%.0f s", ((const row *)item)->elapsed_s));
}

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, title, unit, where) CLI_FIELD(row, name, title, unit, where)
#define PLACE                                                                                      \
    SAME(kernel, "", CLI_TEXT, DATA), SAME(sizes, "", CLI_TEXT, DATA),                             \
        SAME(objective, "", CLI_OBJECTIVE, DATA), SAME(gpu, "", CLI_TEXT, DATA),                   \
        SAME(environment, "", CLI_TEXT, DATA), SAME(scenario, "", CLI_TEXT, DATA)

static const cli_column progress_columns[] = {
    PLACE,
    SAME(elapsed_s, "", CLI_REAL, DATA),
    {NULL, "after", CLI_SHARE, CLI_VIEW, 0, after},
    SAME(variants, "tried", CLI_COUNT, BOTH),
    SAME(best_ns, "best so far", CLI_TIME, BOTH),
    CLI_MADE(NULL, "", CLI_VIEW, over),
    SAME(bar, "slower than the best", CLI_TEXT, CLI_VIEW),
    SAME(configuration, "configuration", CLI_TEXT, BOTH | CLI_SPARE),
};

static const cli_column time_columns[] = {
    PLACE,
    SAME(from_ns, "from", CLI_TIME, BOTH),
    SAME(to_ns, "to", CLI_TIME, BOTH),
    SAME(variants, "variants", CLI_COUNT, BOTH),
    SAME(bar, "", CLI_TEXT, CLI_VIEW),
    SAME(has, "", CLI_TEXT, BOTH),
};

static row row_of(const cli_measured *from)
{
    return (row){.kernel = from->kernel,
                 .sizes = from->sizes,
                 .gpu = from->gpu,
                 .environment = from->environment,
                 .scenario = from->scenario,
                 .objective = from->objective};
}

static void add_row(cli_table *table, const row *row)
{
    cli_cell *cells = cli_table_add(table, row);
    for (size_t i = 0; i < table->column_count; i++) {
        cells[i].is_energy =
            row->objective == GPUTUNE_OBJECTIVE_ENERGY && table->columns[i].unit == CLI_TIME;
    }
}

/* ---- the best so far ---- */

/* In the order in which they were tried: times have whole seconds, and older databases one time for
 * all trials of a tuning. */
static int by_turn(const void *a, const void *b)
{
    const cli_trial *x = *(const cli_trial *const *)a, *y = *(const cli_trial *const *)b;
    int order = strcmp(x->created, y->created);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static const cli_trial **by_time(const cli_measured *from)
{
    const cli_trial **trials = cli_allocate(from->count + 1, sizeof *trials);
    for (size_t i = 0; i < from->count; i++) {
        trials[i] = &from->trials[i];
    }
    qsort(trials, from->count, sizeof *trials, by_turn);
    return trials;
}

/* A row for each trial at which the best time fell, and for the last one. */
static void add_progress(cli_table *table, const cli_measured *from)
{
    const cli_trial **trials = by_time(from);
    row row = row_of(from);
    double best = cli_measured_best(from), first = 0, said = INFINITY;
    row.best_ns = INFINITY;
    for (size_t i = 0; i < from->count; i++) {
        if (cli_trial_has_time(trials[i]) && trials[i]->median_ns < row.best_ns) {
            row.best_ns = trials[i]->median_ns;
            row.configuration = trials[i]->configuration;
            first = first > 0 ? first : row.best_ns;
        }
        bool last = i + 1 == from->count;
        if (isfinite(row.best_ns) && (row.best_ns < said || last)) {
            said = row.best_ns;
            row.variants = (uint32_t)i + 1;
            row.elapsed_s =
                (double)(cli_seconds(trials[i]->created) - cli_seconds(trials[0]->created));
            row.over = said / best - 1;
            row.bar = cli_bar(row.over / fmax(first / best - 1, 1e-9), BAR_CELLS);
            add_row(table, &row);
        }
    }
}

/* ---- the distribution ---- */

/* Bins of equal ratio, as times differ by factors. */
static void add_times(cli_table *table, const cli_measured *from)
{
    row bins[BINS];
    double best = cli_measured_best(from), worst = best;
    uint32_t most = 1;
    for (size_t i = 0; i < from->count; i++) {
        worst =
            cli_trial_has_time(&from->trials[i]) ? fmax(worst, from->trials[i].median_ns) : worst;
    }
    double step = log(fmax(worst / best, 1.01)) / BINS;
    for (int b = 0; b < BINS; b++) {
        bins[b] = row_of(from);
        bins[b].from_ns = best * exp(b * step);
        bins[b].to_ns = best * exp((b + 1) * step);
    }
    for (size_t i = 0; i < from->count; i++) {
        const cli_trial *trial = &from->trials[i];
        if (cli_trial_has_time(trial)) {
            row *bin = &bins[(int)fmin(log(trial->median_ns / best) / step, BINS - 1)];
            bool winner = from->winner && strcmp(from->winner, trial->configuration) == 0;
            bin->variants++;
            bin->has = winner ? "winner" : trial->is_default && !bin->has ? "default" : bin->has;
            most = bin->variants > most ? bin->variants : most;
        }
    }
    for (int b = 0; b < BINS && isfinite(best); b++) {
        bins[b].bar = cli_bar((double)bins[b].variants / most, BAR_CELLS);
        add_row(table, &bins[b]);
    }
}

void cli_plot_write(const cli_measured_list *list, cli_format_kind format, FILE *file)
{
    cli_table all[] = {CLI_TABLE("progress", progress_columns, CLI_VIEW),
                       CLI_TABLE("times", time_columns, CLI_VIEW)};
    if (format == CLI_FORMAT_JSON || format == CLI_FORMAT_CSV) {
        for (size_t i = 0; i < list->count; i++) {
            add_progress(&all[0], &list->items[i]);
            add_times(&all[1], &list->items[i]);
        }
        cli_tables_write("plot", all, 2, format, file);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const cli_measured *one = &list->items[i];
        cli_table plots[] = {all[0], all[1]};
        fprintf(file, "%s%s %s: %zu variant%s%s\n\n", i ? "\n" : "", one->kernel,
                cli_short_sizes(one->sizes), one->count, gt_plural(one->count),
                isfinite(cli_measured_best(one)) ? "" : ", none with a time");
        add_progress(&plots[0], one);
        add_times(&plots[1], one);
        cli_tables_write("plot", plots, 2, format, file);
    }
}
