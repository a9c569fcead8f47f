/* The columns of a measured configuration, for every command that prints some. */
#include "cli/record_columns.h"

#include "cli/failures.h"
#include "cli/memory.h"
#include "cli/units.h"

#include <string.h>

static void cache(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    cli_set_text(out, record->cache == GPUTUNE_CACHE_HOT ? "hot" : "cold");
}

static void hot_only(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    cli_set_text(out, record->cache == GPUTUNE_CACHE_HOT ? "hot" : "");
}

static bool is_timed(const gputune_record *record)
{
    return record->median_ns > 0 && record->objective != GPUTUNE_OBJECTIVE_ENERGY;
}

static double bytes_per_s(const gputune_record *record)
{
    return is_timed(record) ? record->bytes * 1e9 / record->median_ns : 0;
}

static void bandwidth(cli_cell *out, const void *item)
{
    cli_set_number(out, bytes_per_s(item), true);
}

static double flops_per_s(const gputune_record *record)
{
    return is_timed(record) ? record->flops * 1e9 / record->median_ns : 0;
}

static void flop_rate(cli_cell *out, const void *item)
{
    cli_set_number(out, flops_per_s(item), true);
}

/* The rate of operations of a kernel that states no bytes, for views that else show its
 * bandwidth. */
static void flop_rate_alone(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    cli_set_number(out, record->bytes > 0 ? 0 : flops_per_s(record), true);
}

static void copy_share(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    double copy = record->copy_bytes_per_s;
    cli_set_number(out, copy > 0 ? bytes_per_s(record) / copy : 0, true);
}

/* The default's time, or why it has none. */
static void default_time(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    if (record->default_ns > 0 || !cli_is_failure(record->default_status)) {
        cli_set_number(out, record->default_ns, true);
    } else {
        cli_set_text(out, record->default_status);
    }
}

static void speedup(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    if (record->speedup > 0) {
        cli_set_text(out, cli_speedup(record->speedup, record->speedup_low, record->speedup_high));
    }
}

/* Whether several kernels are launched, or one several times. */
static bool is_pipeline(const char *grids)
{
    return strpbrk(grids, "+(") != NULL;
}

/* The kernels of a pipeline have grids of their own, which is worth a column. */
static void pipeline_grids(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    cli_set_text(out, is_pipeline(record->grids) ? record->grids : "");
}

static void pipeline_blocks(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    cli_set_text(out, is_pipeline(record->grids) ? record->blocks : "");
}

/* How many variants failed in a winner's tuning; 0 is shown too. */
static void failed(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    if (record->is_winner) {
        cli_set_number(out, record->failed, false);
    }
}

/* Half the 95% interval as a share of the median: "0.3%". */
static void uncertainty(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    if (record->median_ns > 0 && record->high_ns > 0) {
        double half = (record->high_ns - record->low_ns) / 2;
        cli_set_text(out, cli_format("±%.2f%%", half / record->median_ns * 100));
    }
}

/* "128 32": the widths in bits, the widest first. */
static void set_widths(cli_cell *out, uint32_t widths)
{
    char *text = cli_copy("");
    for (uint32_t bytes = 64; bytes > 0; bytes /= 2) {
        if (widths & bytes) {
            cli_append(&text, "%s%u", text[0] ? " " : "", bytes * 8);
        }
    }
    cli_set_text(out, text);
}

static void loads(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    set_widths(out, record->load_widths);
}

static void stores(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    set_widths(out, record->store_widths);
}

/* Whether the machine code has no access as wide as a vector axis asks for. */
static bool is_narrow(const gputune_record *record)
{
    uint32_t widths = record->load_widths | record->store_widths;
    return widths > 0 && record->vector_bytes > 0 && widths < record->vector_bytes;
}

static void narrow(cli_cell *out, const void *item)
{
    cli_set_yes(out, is_narrow(item));
}

static void flags(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    const struct {
        bool set;
        const char *word;
    } words[] = {{record->is_default, "default"},    {record->tie, "tie"},
                 {record->noisy, "noisy"},           {record->modelled, "modelled"},
                 {record->unfinished, "unfinished"}, {record->unreferenced, "no reference"},
                 {record->unproved, "unproved"},     {record->outdated, "outdated"},
                 {is_narrow(record), "narrow"}};
    char *text = cli_copy("");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].set) {
            cli_append(&text, "%s%s", text[0] ? ", " : "", words[i].word);
        }
    }
    if (record->only && record->only[0]) {
        cli_append(&text, "%sonly %s", text[0] ? ", " : "", record->only);
    }
    cli_set_text(out, text);
}

/* A trial in `show --all`: "winner", "eliminated in round 3: 1.8% slower", "wrong: ..." */
static void outcome(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    const char *status = record->status ? record->status : "";
    char *text = cli_copy(record->is_winner ? "winner" : status);
    if (record->eliminated_round) {
        cli_append(&text, " in round %u", record->eliminated_round);
    }
    if (record->message && record->message[0]) {
        cli_append(&text, ": %s", record->message);
    }
    cli_set_text(out, text);
}

static void clocks(cli_cell *out, const void *item)
{
    const gputune_record *record = item;
    if (record->sm_clock_khz) {
        cli_set_text(out, cli_format("%d MHz, memory %d MHz", record->sm_clock_khz / 1000,
                                     record->memory_clock_khz / 1000));
    }
}

/* An empty cell: its value is that of another record, which is not known yet. */
static void later(cli_cell *out, const void *item)
{
    (void)out, (void)item;
}

static void verdict(cli_cell *out, const void *item)
{
    cli_set_text(out, cli_verdict(item));
}

enum {
    WINNERS = CLI_VIEW_WINNERS,
    TRIALS = CLI_VIEW_TRIALS,
    RUN = CLI_VIEW_RUN,
    COMPARE = CLI_VIEW_COMPARE,
    WHY = CLI_VIEW_WHY,
    PLACE = CLI_VIEW_PLACE,
    ALL = WINNERS | TRIALS | RUN | COMPARE | WHY,
    DATA = CLI_IN_DATA,
    SPARE = CLI_SPARE
};

#define FIELD(name)                    offsetof(gputune_record, name), NULL
#define SAME(name, title, unit, where) CLI_FIELD(gputune_record, name, title, unit, where)
#define MADE(key, title, unit, where, derive)                                                      \
    {                                                                                              \
        key, title, unit, where, 0, derive                                                         \
    }

static const cli_column columns[] = {
    SAME(kernel, "kernel", CLI_TEXT, DATA | WINNERS | TRIALS | WHY | PLACE),
    SAME(sizes, "sizes", CLI_SIZES, DATA | WINNERS | TRIALS | WHY | PLACE),
    SAME(objective, "objective", CLI_OBJECTIVE, DATA | WINNERS | TRIALS | RUN | SPARE),
    MADE("cache", "", CLI_TEXT, DATA, cache),
    MADE(NULL, "cache", CLI_TEXT, WINNERS | TRIALS, hot_only),
    SAME(gpu, "GPU", CLI_TEXT, DATA | CLI_VIEW_ANY_GPU | PLACE),
    SAME(environment, "", CLI_TEXT, DATA),
    SAME(origin, "origin", CLI_TEXT, DATA | CLI_VIEW_ANY_GPU | PLACE | SPARE),
    SAME(configuration, "configuration", CLI_TEXT, DATA | ALL),
    SAME(status, "status", CLI_STATUS, DATA | RUN | COMPARE),
    {NULL, "grid", CLI_TEXT, RUN, FIELD(grids)},
    {NULL, "block", CLI_TEXT, RUN, FIELD(blocks)},
    MADE(NULL, "grids", CLI_TEXT, WINNERS | TRIALS | SPARE, pipeline_grids),
    MADE(NULL, "blocks", CLI_TEXT, WINNERS | TRIALS | SPARE, pipeline_blocks),
    SAME(default_ns, "", CLI_TIME, DATA),
    MADE(NULL, "default", CLI_TIME, WINNERS, default_time),
    SAME(median_ns, "median", CLI_TIME, DATA | ALL),
    MADE(NULL, "95%", CLI_TEXT, RUN | COMPARE, uncertainty),
    SAME(mean_ns, "mean", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(stddev_ns, "sd", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(low_ns, "95% from", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(high_ns, "to", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(min_ns, "min", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(samples, "n", CLI_SOME_COUNT, DATA | TRIALS | RUN | COMPARE | SPARE),
    MADE(NULL, "speed-up", CLI_TEXT, WINNERS | COMPARE | WHY, speedup),
    SAME(speedup, "", CLI_RATIO, DATA),
    SAME(speedup_low, "", CLI_RATIO, DATA),
    SAME(speedup_high, "", CLI_RATIO, DATA),
    MADE("since", "since then", CLI_STATUS, CLI_IN_ITS_DATA | CLI_VIEW_HISTORY, later),
    MADE("speedup_since", "", CLI_REAL, CLI_IN_ITS_DATA | CLI_VIEW_HISTORY, later),
    MADE("verdict", "verdict", CLI_STATUS, CLI_IN_ITS_DATA | COMPARE, verdict),
    SAME(bytes, "", CLI_REAL, DATA),
    SAME(flops, "", CLI_REAL, DATA),
    MADE("bytes_per_s", "bandwidth", CLI_RATE, DATA | WINNERS | TRIALS | RUN | WHY | SPARE,
         bandwidth),
    MADE("flops_per_s", "arithmetic", CLI_FLOPS, DATA | RUN, flop_rate),
    MADE(NULL, "arithmetic", CLI_FLOPS, WINNERS | TRIALS | WHY, flop_rate_alone),
    SAME(copy_bytes_per_s, "", CLI_RATE, DATA),
    MADE("copy_share", "of copy", CLI_SHARE, DATA | WINNERS | RUN | WHY | SPARE, copy_share),
    SAME(registers, "regs", CLI_SOME_COUNT, DATA | ALL | SPARE),
    MADE(NULL, "loads", CLI_TEXT, WINNERS | TRIALS | WHY | SPARE, loads),
    MADE(NULL, "stores", CLI_TEXT, WINNERS | TRIALS | WHY | SPARE, stores),
    SAME(spill_bytes, "spills", CLI_COUNT, DATA | TRIALS | RUN | WHY | SPARE),
    SAME(shared_bytes, "shared", CLI_COUNT, DATA | TRIALS | RUN | WHY | SPARE),
    SAME(local_bytes, "", CLI_COUNT, DATA),
    SAME(occupancy, "occupancy", CLI_SHARE, DATA | RUN | WHY | SPARE),
    SAME(max_error, "error", CLI_REAL, DATA | RUN | SPARE),
    SAME(compile_ns, "compile", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(is_default, "", CLI_YES, DATA),
    SAME(is_winner, "", CLI_YES, DATA),
    SAME(tie, "", CLI_YES, DATA),
    SAME(noisy, "", CLI_YES, DATA),
    SAME(modelled, "", CLI_YES, DATA),
    SAME(unreferenced, "", CLI_YES, DATA),
    SAME(unfinished, "", CLI_YES, DATA),
    SAME(only, "", CLI_TEXT, DATA),
    MADE(NULL, "flags", CLI_TEXT, ALL, flags),
    MADE(NULL, "outcome", CLI_STATUS, TRIALS, outcome),
    SAME(eliminated_round, "", CLI_SOME_COUNT, DATA),
    SAME(message, "message", CLI_TEXT, DATA | RUN | COMPARE),
    SAME(stop_reason, "tuning", CLI_TEXT, DATA | PLACE),
    SAME(created, "date", CLI_TEXT, DATA | PLACE),
    SAME(default_status, "", CLI_TEXT, DATA),
    SAME(default_configuration, "", CLI_TEXT, 0), /* for cli_record_copy() */
    SAME(variants, "", CLI_SOME_COUNT, DATA),
    MADE("failed", "", CLI_COUNT, DATA, failed),
    SAME(failed, "failed", CLI_SOME_COUNT, WINNERS | SPARE),
    SAME(outdated, "", CLI_YES, DATA),
    SAME(unproved, "", CLI_YES, DATA),
    SAME(scenario, "", CLI_TEXT, DATA),
    SAME(identity, "", CLI_TEXT, DATA),
    SAME(alignment, "", CLI_TEXT, DATA),
    SAME(inputs, "", CLI_TEXT, DATA),
    MADE("load_bits", "", CLI_TEXT, DATA, loads),
    MADE("store_bits", "", CLI_TEXT, DATA, stores),
    SAME(vector_bytes, "", CLI_SOME_COUNT, DATA),
    MADE("narrow", "", CLI_YES, DATA, narrow),
    SAME(order, "", CLI_WHOLE, DATA),
    SAME(driver_version, "", CLI_WHOLE, DATA),
    SAME(nvrtc_version, "", CLI_WHOLE, DATA),
    SAME(arch, "arch", CLI_TEXT, DATA | PLACE),
    SAME(sm_count, "SMs", CLI_WHOLE, DATA | PLACE),
    SAME(sm_clock_khz, "", CLI_WHOLE, DATA),
    SAME(memory_clock_khz, "", CLI_WHOLE, DATA),
    SAME(tuning_s, "", CLI_REAL, DATA),
    MADE(NULL, "highest clocks", CLI_TEXT, PLACE, clocks),
    {NULL, "driver", CLI_VERSION, PLACE, FIELD(driver_version)},
    {NULL, "NVRTC", CLI_VERSION, PLACE, FIELD(nvrtc_version)},
    {"grid", "", CLI_TEXT, DATA, FIELD(grids)},
    {"block", "", CLI_TEXT, DATA, FIELD(blocks)},
};

cli_table cli_record_table(unsigned view)
{
    return (cli_table)CLI_TABLE("records", columns, view);
}

void cli_record_add(cli_table *table, const gputune_record *record)
{
    cli_table_add_measured(table, record, record->objective);
}

cli_cell *cli_record_cell(cli_table *table, size_t row, const char *key)
{
    size_t column = 0;
    while (!columns[column].key || strcmp(columns[column].key, key) != 0) {
        column++;
    }
    return &table->cells[row * table->column_count + column];
}

gputune_record cli_record_copy(const gputune_record *record, const gputune_record *like)
{
    gputune_record copy = *record;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        cli_unit unit = columns[i].unit;
        bool is_text = unit == CLI_TEXT || unit == CLI_SIZES || unit == CLI_STATUS;
        if (is_text && !columns[i].derive) {
            cli_copy_texts(&copy, like, &columns[i].offset, 1);
        }
    }
    return copy;
}

bool cli_record_is_alike(const gputune_record *a, const gputune_record *b)
{
    return strcmp(a->scenario, b->scenario) == 0 && strcmp(a->environment, b->environment) == 0;
}

const char *cli_verdict(const gputune_record *record)
{
    if (!(record->speedup > 0 && record->speedup_low > 0)) {
        return "";
    }
    if (record->speedup_low > 1) {
        return "faster";
    }
    return record->speedup_high < 1 ? "slower" : "same";
}
