/* Defines the columns of records and trials, splits scenarios into axes, and groups failures. */
#include "cli/records.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A record and derived values. Cells are empty for NULL, "", NAN and, in some units, 0. */
typedef struct row {
    gputune_record record; /* must be the first member, because the columns use offsets */
    const char *hot, *data, *default_time, *uncertainty, *speedup, *verdict;
    const char *pipeline_grids, *pipeline_blocks, *flags, *outcome;
    double bytes_per_s, flops_per_s, flops_only, copy_share, failed;
} row;

char *cli_flags_text(const cli_flag *flags, size_t count)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < count; i++) {
        if (flags[i].is_set) {
            cli_join(&text, ", ", flags[i].word);
        }
    }
    return text;
}

static const char *flags(const gputune_record *record)
{
    const bool has_only = record->only && record->only[0];
    const cli_flag words[] = {{record->is_default, "default"},
                              {record->is_start, "start"},
                              {record->tie, "tie"},
                              {record->noisy, "noisy"},
                              {record->modelled, "modelled"},
                              {record->unfinished, "unfinished"},
                              {record->unreferenced, "no reference"},
                              {record->unproved, "unproved"},
                              {record->outdated, "outdated"},
                              {has_only, has_only ? cli_format("only %s", record->only) : ""}};
    return cli_flags_text(words, sizeof words / sizeof *words);
}

/* Returns, for example, "winner", "eliminated in round 3: 1.8% slower" or "wrong: ...". */
static const char *outcome(const gputune_record *record)
{
    const char *status = record->status ? record->status : "";
    char *text = cli_copy(record->is_winner ? "winner" : status);
    if (record->eliminated_round) {
        cli_append(&text, " in round %u", record->eliminated_round);
    }
    if (record->message && record->message[0]) {
        cli_append(&text, ": %s", record->message);
    }
    return text;
}

/* Returns true if the status ("wrong", "compile", ...) means that the trial failed. */
static bool is_failure(const char *status)
{
    static const char *const harmless[] = {"", "ok", "eliminated", "unproved", "proved"};
    const size_t count = sizeof harmless / sizeof *harmless;
    return status && gt_index_of(status, harmless, count) == count;
}

/* Returns "faster", "slower" or "same", depending on the interval of the speed-up, or "" if there
 * is no interval. */
static const char *verdict_of(const gputune_record *record)
{
    if (!(record->speedup > 0 && record->speedup_low > 0)) {
        return "";
    }
    return record->speedup_low > 1 ? "faster" : record->speedup_high < 1 ? "slower" : "same";
}

/* Returns the alignment and the inputs if they are not the usual ones. Shortens hashes. */
static const char *data_of(const gputune_record *record)
{
    enum { HASH_DIGITS = 32 };
    const bool is_usual = !record->inputs || strcmp(record->inputs, "seed=1") == 0;
    const char *inputs = is_usual ? "" : record->inputs;
    char *name, *value, *text = cli_copy("");
    if (record->alignment && strcmp(record->alignment, "16") != 0) {
        cli_append(&text, "alignment=%s", record->alignment);
    }
    while (cli_next_pair(&inputs, &name, &value)) {
        const int length = strlen(value) == HASH_DIGITS ? 8 : (int)strlen(value);
        cli_join(&text, " ", cli_format("%s%s%.*s", name, *value ? "=" : "", length, value));
    }
    return text;
}

static void derive_figures(row *out)
{
    const gputune_record *r = &out->record;
    /* `grids` has a "+" for several kernels, and a "(" for one that is launched several times */
    bool is_pipeline = strpbrk(r->grids, "+(") != NULL;
    bool is_timed = r->median_ns > 0 && r->objective != GPUTUNE_OBJECTIVE_ENERGY;
    double half_ns = (r->high_ns - r->low_ns) / 2;
    out->hot = r->cache == GPUTUNE_CACHE_HOT ? "hot" : "";
    out->data = data_of(r);
    out->default_time = r->default_ns > 0               ? cli_value(r->default_ns, r->objective)
                        : is_failure(r->default_status) ? r->default_status
                                                        : "";
    out->uncertainty = r->median_ns > 0 && r->high_ns > 0
                           ? cli_format("±%.2f%%", half_ns / r->median_ns * 100)
                           : "";
    out->speedup = cli_speedup(r->speedup, r->speedup_low, r->speedup_high);
    out->verdict = verdict_of(r);
    out->pipeline_grids = is_pipeline ? r->grids : "";
    out->pipeline_blocks = is_pipeline ? r->blocks : "";
    out->flags = flags(r);
    out->outcome = outcome(r);
    out->bytes_per_s = is_timed ? r->bytes * 1e9 / r->median_ns : 0;
    out->flops_per_s = is_timed ? r->flops * 1e9 / r->median_ns : 0;
    out->flops_only = r->bytes > 0 ? 0 : out->flops_per_s;
    out->copy_share = r->copy_bytes_per_s > 0 ? out->bytes_per_s / r->copy_bytes_per_s : 0;
    out->failed = r->is_winner ? r->failed : (double)NAN;
}

enum {
    WINNERS = CLI_VIEW_WINNERS,
    TRIALS = CLI_VIEW_TRIALS,
    RUN = CLI_VIEW_RUN,
    WHY = CLI_VIEW_WHY,
    ALL = WINNERS | TRIALS | RUN | WHY,
    DATA = CLI_IN_DATA,
    SPARE = CLI_SPARE
};

#define SAME(name, title, unit, where)      CLI_FIELD(gputune_record, name, title, unit, where)
#define MADE(key, title, unit, where, name) CLI_AS(key, row, name, title, unit, where)

static const cli_column columns[] = {
    SAME(kernel, "kernel", CLI_TEXT, DATA | WINNERS | TRIALS | WHY),
    SAME(sizes, "sizes", CLI_SIZES, DATA | WINNERS | TRIALS | WHY),
    SAME(objective, "objective", CLI_OBJECTIVE, DATA | WINNERS | TRIALS | RUN | SPARE),
    SAME(cache, "", CLI_CACHE, DATA),
    MADE(NULL, "cache", CLI_TEXT, WINNERS | TRIALS, hot),
    MADE(NULL, "data", CLI_TEXT, WINNERS | TRIALS, data),
    SAME(gpu, "GPU", CLI_TEXT, DATA | CLI_VIEW_ANY_GPU),
    SAME(environment, "", CLI_TEXT, DATA),
    SAME(origin, "origin", CLI_TEXT, DATA | CLI_VIEW_ANY_GPU | SPARE),
    SAME(configuration, "configuration", CLI_TEXT, DATA | ALL),
    SAME(status, "status", CLI_STATUS, DATA | RUN),
    MADE(NULL, "grid", CLI_TEXT, RUN, record.grids),
    MADE(NULL, "block", CLI_TEXT, RUN, record.blocks),
    MADE(NULL, "grids", CLI_TEXT, WINNERS | TRIALS | SPARE, pipeline_grids),
    MADE(NULL, "blocks", CLI_TEXT, WINNERS | TRIALS | SPARE, pipeline_blocks),
    SAME(default_ns, "", CLI_TIME, DATA),
    MADE(NULL, "default", CLI_FIGURE, WINNERS, default_time),
    SAME(median_ns, "median", CLI_TIME, DATA | ALL),
    MADE(NULL, "95%", CLI_TEXT, RUN, uncertainty),
    SAME(mean_ns, "mean", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(stddev_ns, "sd", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(low_ns, "95% from", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(high_ns, "to", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(min_ns, "min", CLI_TIME, DATA | TRIALS | SPARE),
    SAME(samples, "n", CLI_SOME_COUNT, DATA | TRIALS | RUN | SPARE),
    MADE(NULL, "speed-up", CLI_TEXT, WINNERS | RUN | WHY, speedup),
    SAME(speedup, "", CLI_SOME_REAL, DATA),
    SAME(speedup_low, "", CLI_SOME_REAL, DATA),
    SAME(speedup_high, "", CLI_SOME_REAL, DATA),
    MADE("verdict", "verdict", CLI_STATUS, CLI_IN_ITS_DATA | RUN, verdict),
    SAME(bytes, "", CLI_REAL, DATA),
    SAME(flops, "", CLI_REAL, DATA),
    MADE("bytes_per_s", "bandwidth", CLI_RATE, DATA | WINNERS | TRIALS | RUN | WHY | SPARE,
         bytes_per_s),
    MADE("flops_per_s", "arithmetic", CLI_FLOPS, DATA | RUN | SPARE, flops_per_s),
    MADE(NULL, "arithmetic", CLI_FLOPS, WINNERS | TRIALS | WHY, flops_only),
    SAME(copy_bytes_per_s, "", CLI_RATE, DATA),
    MADE("copy_share", "of copy", CLI_SHARE, DATA | WINNERS | RUN | WHY | SPARE, copy_share),
    SAME(registers, "regs", CLI_SOME_COUNT, DATA | ALL | SPARE),
    SAME(spill_bytes, "spills", CLI_COUNT, DATA | TRIALS | RUN | WHY | SPARE),
    SAME(shared_bytes, "shared", CLI_COUNT, DATA | TRIALS | RUN | WHY | SPARE),
    SAME(local_bytes, "", CLI_COUNT, DATA),
    SAME(occupancy, "occupancy", CLI_SHARE, DATA | RUN | WHY | SPARE),
    SAME(max_error, "error", CLI_REAL, DATA | RUN | SPARE),
    SAME(compile_ns, "compile", CLI_DURATION, DATA | TRIALS | SPARE),
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
    SAME(message, "message", CLI_TEXT, DATA | RUN),
    SAME(stop_reason, "", CLI_TEXT, DATA),
    SAME(created, "", CLI_TEXT, DATA),
    SAME(default_status, "", CLI_TEXT, DATA),
    SAME(default_configuration, "", CLI_TEXT, 0),
    SAME(variants, "", CLI_SOME_COUNT, DATA),
    MADE("failed", "", CLI_REAL, DATA, failed),
    SAME(failed, "failed", CLI_SOME_COUNT, WINNERS | SPARE),
    SAME(outdated, "", CLI_YES, DATA),
    SAME(unproved, "", CLI_YES, DATA),
    SAME(scenario, "", CLI_TEXT, DATA),
    SAME(identity, "", CLI_TEXT, DATA),
    SAME(alignment, "", CLI_TEXT, DATA),
    SAME(inputs, "", CLI_TEXT, DATA),
    SAME(vector_bytes, "", CLI_SOME_COUNT, DATA),
    SAME(order, "", CLI_WHOLE, DATA),
    SAME(driver_version, "", CLI_WHOLE, DATA),
    SAME(nvrtc_version, "", CLI_WHOLE, DATA),
    SAME(arch, "", CLI_TEXT, DATA),
    SAME(sm_count, "", CLI_WHOLE, DATA),
    SAME(sm_clock_khz, "", CLI_WHOLE, DATA),
    SAME(memory_clock_khz, "", CLI_WHOLE, DATA),
    SAME(tuning_s, "", CLI_REAL, DATA),
    MADE("grid", "", CLI_TEXT, DATA, record.grids),
    MADE("block", "", CLI_TEXT, DATA, record.blocks),
    SAME(is_start, "", CLI_YES, DATA),
};

cli_table cli_record_table(unsigned view)
{
    return (cli_table)CLI_TABLE("records", columns, row, view);
}

void cli_record_add(cli_table *table, const gputune_record *record)
{
    const row added = {.record = *record};
    derive_figures(cli_table_add(table, &added));
}

int cli_records_add(void *list, const gputune_record *record)
{
    cli_records *records = list;
    const gputune_record *last =
        records->count ? &records->items[records->count - 1] : &(gputune_record){.size = 0};
    gputune_record copy = *record;
    cli_copy_item(&copy, sizeof copy, last, columns, sizeof columns / sizeof *columns);
    cli_add(records, copy);
    return 0;
}

int cli_records_read(cli_records *out, gputune_record_filter *filter, const cli_session *session,
                     const char *name)
{
    CLI_TRY(cli_stored_name(session, name));
    filter->kernel = name;
    int status = gputune_records(session->tuner, filter, cli_records_add, out);
    return status == GPUTUNE_ENOTFOUND ? CLI_CONTINUE : cli_passed(status);
}

/* Returns true if the winner `one` is better than the winner `best`. A winner of the whole space is
 * better than one of a restricted space; otherwise the faster one is better. */
static bool is_better_winner(const gputune_record *one, const gputune_record *best)
{
    bool whole = !one->only[0], is_best_whole = !best->only[0];
    return one->is_winner && (!best->is_winner ||
                              (whole == is_best_whole ? one->median_ns < best->median_ns : whole));
}

cli_measured_list cli_measured_of(const cli_records *records)
{
    cli_records none = {NULL, 0};
    cli_measured_list list = {NULL, 0};
    cli_measured *last = NULL;
    cli_records_add(&none, &(gputune_record){.size = 0});
    for (size_t i = 0; i < records->count; i++) {
        const gputune_record *record = &records->items[i];
        if (!last || strcmp(last->trials->scenario, record->scenario) != 0 ||
            strcmp(last->trials->environment, record->environment) != 0) {
            last = cli_add(&list, (cli_measured){record, 0, none.items, ""});
        }
        last->count++;
        last->winner = is_better_winner(record, last->winner) ? record : last->winner;
        last->standard = record->is_default  ? record->configuration
                         : last->standard[0] ? last->standard
                                             : record->default_configuration;
    }
    for (size_t i = 0; i < list.count; i++) {
        const char *compared = list.items[i].winner->default_configuration;
        list.items[i].standard = compared[0] ? compared : list.items[i].standard;
    }
    return list;
}

bool cli_trial_has_time(const gputune_record *trial)
{
    return trial->median_ns > 0 &&
           (strcmp(trial->status, "ok") == 0 || strcmp(trial->status, "eliminated") == 0);
}

/* Adds the values of a text such as "A=1 B=2". If `words` is true, skips numeric values. */
static void add_values(cli_apart *data, const char *text, bool words)
{
    char *name, *value;
    while (cli_next_pair(&text, &name, &value)) {
        int64_t number;
        if (words && gt_read_int(&number, value) == GT_INT_READ) {
            continue;
        }
        cli_value_list *axis = cli_values_named(&data->axes, name);
        if (cli_value_index(axis, value) == axis->count) {
            cli_push(axis->values, axis->count, value);
        }
    }
}

/* Orders numbers by value, followed by words in alphabetical order. */
static int compare_values(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    int64_t x = 0, y = 0;
    bool a_number = gt_read_int(&x, a) == GT_INT_READ, b_number = gt_read_int(&y, b) == GT_INT_READ;
    if (a_number != b_number) {
        return b_number - a_number;
    }
    return a_number && x != y ? (x > y) - (x < y) : strcmp(a, b);
}

/* Adds an entry for a trial. If the trial has no value for an axis, because the template did not
 * have the axis at that time, the entry gets the first value of the axis. */
static void place_trial(cli_apart *data, const gputune_record *trial)
{
    const char *text = trial->configuration;
    char *name, *value;
    size_t index = data->entry_count++, *choice = data->choices + index * data->axes.count;
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    while (cli_next_pair(&text, &name, &value)) {
        const cli_value_list *axis = cli_values_find(&data->axes, name);
        choice[axis - data->axes.items] = cli_value_index(axis, value);
    }
    data->entries[index] = (cli_entry){trial, choice, data->axes.count};
}

bool cli_trial_was_launched(const gputune_record *trial)
{
    return strcmp(trial->status, "unproved") == 0 && trial->median_ns > 0;
}

static bool is_entry(const gputune_record *trial, bool launched)
{
    return is_failure(trial->status) || cli_trial_has_time(trial) ||
           (launched && cli_trial_was_launched(trial));
}

/* Orders entries by their values, and equal entries from newest to oldest. */
static int compare_entries(const void *left, const void *right)
{
    const cli_entry *a = left, *b = right;
    for (size_t i = 0; i < a->axis_count; i++) {
        if (a->choice[i] != b->choice[i]) {
            return a->choice[i] < b->choice[i] ? -1 : 1;
        }
    }
    return strcmp(b->trial->created, a->trial->created);
}

void cli_take_apart(cli_apart *out, const cli_measured *from, bool launched)
{
    size_t kept = 0;
    *out = (cli_apart){.from = from};
    for (size_t i = 0; i < from->count; i++) {
        if (is_entry(&from->trials[i], launched)) {
            add_values(out, from->trials[i].configuration, false);
        }
    }
    /* a size that is a word, such as a type, becomes an axis with one value */
    add_values(out, from->trials->sizes, true);
    for (size_t i = 0; i < out->axes.count; i++) {
        qsort(out->axes.items[i].values, out->axes.items[i].count, sizeof(char *), compare_values);
    }
    out->choices = cli_allocate(from->count * out->axes.count + 1, sizeof *out->choices);
    out->entries = cli_allocate(from->count + 1, sizeof *out->entries);
    for (size_t i = 0; i < from->count; i++) {
        if (is_entry(&from->trials[i], launched)) {
            place_trial(out, &from->trials[i]);
        } else {
            out->unmeasured++;
        }
    }
    qsort(out->entries, out->entry_count, sizeof *out->entries, compare_entries);
    for (size_t i = 0; i < out->entry_count; i++) { /* drop repeated configurations */
        const size_t *choice = out->entries[i].choice, bytes = out->axes.count * sizeof *choice;
        if (!kept || memcmp(out->entries[kept - 1].choice, choice, bytes) != 0) {
            out->entries[kept++] = out->entries[i];
        }
    }
    out->entry_count = kept;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Failures of one scenario with the same status and message. */
typedef struct failure {
    const gputune_record *first; /* the default's trial, if the default is one of these failures */
    uint32_t count;
} failure;

typedef CLI_LIST(failure) failures;

static failures failures_of(const cli_measured *scenario)
{
    failures all = {NULL, 0};
    for (size_t i = 0; i < scenario->count; i++) {
        const gputune_record *trial = &scenario->trials[i];
        size_t at = 0;
        if (!is_failure(trial->status)) {
            continue;
        }
        while (at < all.count && (strcmp(all.items[at].first->status, trial->status) != 0 ||
                                  strcmp(all.items[at].first->message, trial->message) != 0)) {
            at++;
        }
        failure *same = at < all.count ? &all.items[at] : cli_add(&all, (failure){.first = trial});
        same->count++;
        same->first = trial->is_default ? trial : same->first;
    }
    return all;
}

static uint32_t count_status(const failures *all, const char *status)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < all->count; i++) {
        sum += strcmp(all->items[i].first->status, status) == 0 ? all->items[i].count : 0;
    }
    return sum;
}

/* Finds the most frequent status, and returns its most frequent failure. */
static const failure *find_commonest(const failures *all)
{
    const failure *best = all->items;
    for (size_t i = 1; i < all->count; i++) {
        uint32_t now = count_status(all, all->items[i].first->status);
        uint32_t before = count_status(all, best->first->status);
        if (now > before || (now == before && all->items[i].count > best->count)) {
            best = &all->items[i];
        }
    }
    return best;
}

/* Returns, for example, "gave wrong results" or "crashed". */
static const char *predicate_of(const char *status)
{
    static const struct predicate {
        const char *status, *text;
    } predicates[] = {{"wrong", "gave wrong results"},
                      {"compile", "did not compile"},
                      {"slow", "did not compile in time"},
                      {"launch", "could not be launched"}};
    const size_t count = sizeof predicates / sizeof *predicates;
    const size_t which = gt_index_of(status, predicates, count);
    return which < count ? predicates[which].text : status;
}

static char *describe_failure(const gputune_record *failed)
{
    return cli_format("%s%s%s", predicate_of(failed->status), failed->message[0] ? ": " : "",
                      failed->message);
}

/* Prints the default's failure first. It matters most, because programs may launch the default. */
static void print_failures(const failures *all, const char *label, const gputune_info *info)
{
    const gputune_record *first = find_commonest(all)->first;
    uint32_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const gputune_record *failed = all->items[i].first;
        count += all->items[i].count;
        if (failed->is_default) {
            cli_note("%s: the default configuration, %s, %s", label, failed->configuration,
                     describe_failure(failed));
        }
    }
    const char *text = first->is_default
                           ? predicate_of(first->status)
                           : cli_format("%s (%s)", describe_failure(first), first->configuration);
    if (count == 1 && !first->is_default) {
        cli_note("%s: 1 variant %s", label, text);
    } else if (count > 1) {
        uint32_t common = count_status(all, first->status);
        bool has_more = info && info->variants && count > info->failed;
        cli_note(
            "%s: %u variants failed%s; %s %s; 'gputune show %s --all' lists them", label, count,
            has_more ? cli_format(" (%u of them in earlier tunings)", count - info->failed) : "",
            common == count ? "all" : cli_format("%u", common), text, first->kernel);
    }
}

void cli_failures_print(const cli_records *records, const gputune_info *info)
{
    const cli_measured_list list = cli_measured_of(records);
    for (size_t i = 0; i < list.count; i++) {
        const gputune_record *of = list.items[i].trials;
        const failures all = failures_of(&list.items[i]);
        if (all.count) {
            print_failures(&all, cli_label(of->kernel, of->sizes), info);
        }
    }
}

void cli_single_print(const cli_records *records)
{
    static char printed[256]; /* the last note */
    for (size_t i = 0; i < records->count; i++) {
        const gputune_record *record = &records->items[i];
        char text[sizeof printed];
        snprintf(text, sizeof text, "%s: %s", record->kernel, record->message);
        if (record->is_winner && record->message[0] && strcmp(text, printed) != 0) {
            cli_note("%s: %s", record->kernel, record->message);
            memcpy(printed, text, sizeof printed);
        }
    }
}

int cli_failures_code(const char **of_default, const cli_records *records, const gputune_info *info)
{
    uint32_t wrong = 0;
    *of_default = "";
    for (size_t i = 0; i < records->count; i++) {
        const gputune_record *trial = &records->items[i];
        if (trial->is_default && is_failure(trial->status)) {
            *of_default = trial->status;
            return cli_trial_exit_code(trial->status);
        }
        wrong += strcmp(trial->status, "wrong") == 0;
    }
    wrong = wrong < info->failed ? wrong : info->failed;
    return wrong > info->variants / 2 ? CLI_EXIT_WRONG : CLI_EXIT_OK;
}

void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration)
{
    char *code;
    size_t bytes;
    gputune_form form = session->device.emulated ? GPUTUNE_FORM_PTX : GPUTUNE_FORM_CUBIN;
    if (cli_given.verbose && gputune_emit(&code, &bytes, session->tuner, kernel, sizes,
                                          configuration, NULL, form) == GPUTUNE_OK) {
        gputune_free(code);
    }
}

void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario)
{
    cli_records records = {NULL, 0};
    const gputune_record *newest = NULL;
    const gputune_record_filter filter = {
        .size = sizeof filter, .kernel = scenario->kernel->given, .all_trials = true};
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    if (cli_given.verbose) {
        (void)gputune_records(session->tuner, &filter, cli_records_add, &records);
    }
    for (size_t i = 0; i < records.count; i++) {
        const gputune_record *trial = &records.items[i];
        bool fits =
            strcmp(trial->status, "compile") == 0 && strcmp(trial->sizes, scenario->size_text) == 0;
        newest = fits && (!newest || strcmp(trial->created, newest->created) > 0) ? trial : newest;
    }
    if (newest) {
        cli_compile_log(session, scenario->kernel->given, scenario->sizes, newest->configuration);
    }
}
