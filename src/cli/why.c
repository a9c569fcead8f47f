/* Computes the effect of each axis of a scenario from the scenario's trials. */
#include "cli/records.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_CELLS = 10 };
#define NEGLIGIBLE 0.0005 /* a smaller cost is shown as 0% */

/* A value of an axis, for JSON and CSV. The cost compares the best variant with this value to the
 * best of all variants. It is an upper bound, because not all variants were tried. */
typedef struct value_row {
    gputune_record place; /* must be the first member, because CLI_PLACE_COLUMNS uses offsets */
    const char *axis, *value;
    /* `launched`: number of variants that were launched only once, because they were slow */
    uint32_t variants, measured, launched;
    double best_ns, cost; /* NAN: unknown */
    /* "measured", "first launch", "failed" or "one trial"; "default only" if the one trial is the
     * default's */
    const char *evidence;
    bool is_winner, is_default;
} value_row;

#define OF_VALUE(member, unit) CLI_FIELD(value_row, member, "", unit, CLI_IN_DATA)

static const cli_column value_columns[] = {
    CLI_PLACE_COLUMNS,
    OF_VALUE(axis, CLI_TEXT),
    OF_VALUE(value, CLI_TEXT),
    OF_VALUE(best_ns, CLI_TIME),
    OF_VALUE(cost, CLI_REAL),
    OF_VALUE(variants, CLI_COUNT),
    OF_VALUE(measured, CLI_COUNT),
    OF_VALUE(launched, CLI_COUNT),
    OF_VALUE(evidence, CLI_TEXT),
    OF_VALUE(is_winner, CLI_YES),
    OF_VALUE(is_default, CLI_YES),
};

static char *percent(double cost)
{
    if (cost < NEGLIGIBLE) {
        return cli_copy("0%");
    }
    return cost < 1 ? cli_format("+%.1f%%", cost * 100) : cli_format("%.1fx", cost + 1);
}

/* Formats a cost and a number of variants: "+3.1% (4)", or "<=+3.1% (1)" if the cost is a bound. */
static char *cost_of(const value_row *row)
{
    if (!isnan(row->cost)) {
        bool is_bound = strcmp(row->evidence, "measured") != 0 && row->cost >= NEGLIGIBLE;
        return cli_format("%s%s (%u)", is_bound ? "<=" : "", percent(row->cost),
                          row->measured + row->launched);
    }
    return cli_copy(row->measured ? "unknown (1)" : "none works");
}

typedef struct axis_row {
    const char *axis, *winner, *fallback;
    const char *cost; /* cost of the default's value */
    double worst;
    char *bar, *values;
} axis_row;

#define OF_AXIS(member, title) CLI_FIELD(axis_row, member, title, CLI_TEXT, CLI_VIEW)

static const cli_column axis_columns[] = {
    OF_AXIS(axis, "axis"),
    OF_AXIS(winner, "winner"),
    OF_AXIS(fallback, "default"),
    OF_AXIS(cost, "cost at the default"),
    OF_AXIS(values, "cost at other values"),
    OF_AXIS(bar, "worth"),
};

static value_row row_of(const cli_apart *data, size_t axis, size_t value, double best_ns)
{
    const cli_measured *from = data->from;
    value_row row = {.place = *from->trials,
                     .axis = data->axes.items[axis].name,
                     .value = data->axes.items[axis].values[value],
                     .evidence = "failed"};
    double held = NAN;
    for (size_t i = 0; i < data->entry_count; i++) {
        const gputune_record *trial = data->entries[i].trial;
        if (data->entries[i].choice[axis] != value) {
            continue;
        }
        bool timed = cli_trial_has_time(trial), launched = cli_trial_was_launched(trial);
        row.variants++;
        row.is_winner |= strcmp(from->winner->configuration, trial->configuration) == 0;
        row.is_default |= strcmp(from->standard, trial->configuration) == 0;
        row.measured += timed;
        row.launched += launched;
        if ((timed || launched) && !(held <= trial->median_ns)) {
            held = trial->median_ns;
            row.evidence = timed ? "measured" : "first launch";
        }
    }
    if (!row.is_winner && row.measured + row.launched == 1) {
        /* a single trial of the default is no bound: the default is measured even if it is slow */
        held = row.is_default ? NAN : held;
        row.evidence = row.is_default ? "default only" : "one trial";
    }
    row.best_ns = isnan(held) ? 0 : held;
    row.cost = held / best_ns - 1;
    return row;
}

static int by_worth(const void *a, const void *b)
{
    double x = ((const axis_row *)a)->worst, y = ((const axis_row *)b)->worst;
    return (x < y) - (x > y);
}

static void add_axes(cli_why *why, const cli_apart *data)
{
    double best_ns = INFINITY, most = 0;
    axis_row *rows = cli_allocate(data->axes.count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < data->from->count; i++) {
        const gputune_record *trial = &data->from->trials[i];
        best_ns = cli_trial_has_time(trial) ? fmin(best_ns, trial->median_ns) : best_ns;
    }
    for (size_t a = 0; a < data->axes.count; a++) {
        if (data->axes.items[a].count < 2) {
            continue;
        }
        axis_row *row = &rows[count++];
        *row = (axis_row){.axis = data->axes.items[a].name, .values = cli_copy("")};
        for (size_t v = 0; v < data->axes.items[a].count; v++) {
            const value_row held = row_of(data, a, v, best_ns);
            cli_table_add(&why->values, &held);
            row->winner = held.is_winner ? held.value : row->winner;
            row->fallback = held.is_default ? held.value : row->fallback;
            row->cost = held.is_default ? cost_of(&held) : row->cost;
            row->worst =
                strcmp(held.evidence, "one trial") ? fmax(row->worst, held.cost) : row->worst;
            if (!held.is_winner && !held.is_default) {
                cli_append(&row->values, "%s%s:%s", row->values[0] ? ", " : "", held.value,
                           cost_of(&held));
            }
        }
        most = fmax(most, row->worst);
    }
    qsort(rows, count, sizeof *rows, by_worth);
    for (size_t i = 0; i < count; i++) {
        double worst = rows[i].worst < NEGLIGIBLE ? 0 : rows[i].worst;
        rows[i].bar = cli_bar(most > 0 ? log1p(worst) / log1p(most) : 0, BAR_CELLS);
        cli_table_add(&why->axes, &rows[i]);
    }
}

cli_why cli_why_tables(void)
{
    return (cli_why){CLI_TABLE("axes", value_columns, value_row, CLI_VIEW),
                     CLI_TABLE("axes", axis_columns, axis_row, CLI_VIEW)};
}

static void append_starts(char **text, const cli_measured *from)
{
    char *list = cli_copy("");
    double best_ns = INFINITY;
    bool any = false;
    for (size_t i = 0; i < from->count; i++) {
        const gputune_record *trial = &from->trials[i];
        if ((trial->is_start || trial->is_default) && cli_trial_has_time(trial)) {
            best_ns = fmin(best_ns, trial->median_ns);
        }
    }
    for (size_t i = 0; i < from->count; i++) {
        const gputune_record *trial = &from->trials[i];
        if (trial->is_start || trial->is_default) {
            const bool timed = cli_trial_has_time(trial) || cli_trial_was_launched(trial);
            const char *name = trial->is_default ? "the default" : trial->configuration;
            cli_append(&list, "%s%s (%s%s)", list[0] ? ", " : "", name,
                       timed ? cli_value(trial->median_ns, trial->objective) : "failed",
                       trial->median_ns == best_ns ? ", best" : "");
            any |= trial->is_start && !trial->is_default;
        }
    }
    if (any) {
        cli_append(text, "; started from %s", list);
    }
}

char *cli_why_explain(cli_why *why, const cli_measured *from)
{
    cli_apart data;
    cli_take_apart(&data, from, true);
    add_axes(why, &data);
    size_t all = data.entry_count + data.unmeasured, without = data.unmeasured;
    for (size_t i = 0; i < data.entry_count; i++) {
        without += !cli_trial_has_time(data.entries[i].trial);
    }
    char *text = cli_format("%zu variant%s", all, gt_plural(all));
    if (without) {
        cli_append(&text, ", %zu failed or %s too slow to verify", without,
                   without == 1 ? "was" : "were");
    }
    const char *reason = from->winner->stop_reason;
    cli_append(&text, "%s%s", reason[0] ? "; " : "", reason);
    append_starts(&text, from);
    return text;
}

void cli_why_write(const cli_table *standing, const cli_measured_list *list)
{
    cli_why why = cli_why_tables();
    if (cli_given.format != CLI_FORMAT_TABLE) {
        for (size_t i = 0; i < list->count; i++) {
            cli_why_explain(&why, &list->items[i]);
        }
        const cli_table tables[] = {*standing, why.values};
        cli_tables_write("why", tables, 2, (cli_format_kind)cli_given.format, stdout);
        return;
    }
    cli_table_print(standing);
    for (size_t i = 0; i < list->count; i++) {
        const gputune_record *of = list->items[i].trials, *winner = list->items[i].winner;
        why = cli_why_tables();
        printf("\n%s: %s\n", cli_label(of->kernel, of->sizes),
               cli_why_explain(&why, &list->items[i]));
        if (winner->kernel[0]) {
            cli_print_folded(cli_hardware_text(winner), 0);
        }
        if (why.axes.row_count) {
            puts("");
            cli_table_print(&why.axes);
            puts("\nIn brackets: how many trials have this value; more trials may lower the cost.\n"
                 "<=: an upper bound: the value has one trial, or only times of first launches.");
        }
    }
}
