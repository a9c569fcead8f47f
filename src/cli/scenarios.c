/* Parses --size and --only, finds kernels and scenarios, and sets the options for tuning. */
#include "cli/scenarios.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char blanks[] = " \t\n";
static const char in_names[] = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

cli_value_list *cli_values_named(cli_values *values, char *name)
{
    const cli_value_list *known = cli_values_find(values, name);
    return known ? &values->items[known - values->items]
                 : cli_add(values, (cli_value_list){.name = name});
}

/* Parses "n=1,2" or "n=1,2,m=3". A part without '=' is another value of the preceding name. */
static int parse_assignments(cli_values *out, const char *option, const char *word)
{
    cli_value_list *list = NULL;
    for (const char *at = word, *end = word; *end; at = end + 1) {
        end = at + strcspn(at, ",");
        const size_t name = strspn(at, in_names);
        if (at[name] == '=') {
            CLI_REFUSE(!name || isdigit((unsigned char)*at), CLI_EXIT_USAGE,
                       "%s: found '%s'; expected NAME=VALUE", option, word);
            list = cli_values_named(out, cli_copy_part(at, name));
            at += name + 1;
        }
        CLI_REFUSE(!list || memchr(at, '=', (size_t)(end - at)), CLI_EXIT_USAGE,
                   "%s: found '%s'; expected NAME=VALUE", option, word);
        CLI_REFUSE(at == end, CLI_EXIT_USAGE, "%s: a value is missing in '%s'", option, word);
        cli_push(list->values, list->count, cli_copy_part(at, (size_t)(end - at)));
    }
    return CLI_CONTINUE;
}

int cli_values_parse(cli_values *out, const char *option, const char *text)
{
    CLI_REFUSE(option && !text[strspn(text, blanks)], CLI_EXIT_USAGE,
               "%s: a value is missing; expected NAME=VALUE", option);
    for (size_t length; *(text += strspn(text, blanks)); text += length) {
        length = gt_setting_length(text, false);
        CLI_TRY(parse_assignments(out, option, cli_copy_part(text, length)));
    }
    return CLI_CONTINUE;
}

int cli_values_read(cli_values *out, const char *option, const cli_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        CLI_TRY(cli_values_parse(out, option, texts->items[i]));
    }
    return CLI_CONTINUE;
}

const cli_value_list *cli_values_find(const cli_values *values, const char *name)
{
    size_t at = gt_index_of(name, values->items, values->count);
    return at < values->count ? &values->items[at] : NULL;
}

static char *text_of_values(const cli_value_list *list)
{
    char *text = cli_format("%s=", list->name);
    for (size_t i = 0; i < list->count; i++) {
        cli_append(&text, "%s%s", i ? "," : "", list->values[i]);
    }
    return text;
}

bool cli_is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || strstr(name, ".cu:") ||
           (length > 3 && strcmp(name + length - 3, ".cu") == 0);
}

static bool same_file(const char *a, const char *b)
{
    char real_a[PATH_MAX], real_b[PATH_MAX];
    bool both = realpath(a, real_a) && realpath(b, real_b);
    return strcmp(both ? real_a : a, both ? real_b : b) == 0;
}

static int take_kernel(void *user, const gputune_kernel *kernel)
{
    cli_catalogue *catalogue = user;
    const char *path = kernel->path ? kernel->path : "";
    for (size_t i = 0; i < catalogue->count; i++) {
        const cli_kernel *known = &catalogue->items[i];
        if (strcmp(known->name, kernel->name) == 0 && same_file(known->path, path)) {
            return 0;
        }
    }
    cli_kernel *added = cli_add(catalogue, (cli_kernel){.name = cli_copy(kernel->name),
                                                        .path = cli_copy(path),
                                                        .objective = kernel->objective});
    cli_values_parse(&added->sizes, NULL, kernel->sizes ? kernel->sizes : "");
    cli_values_parse(&added->axes, NULL, kernel->axes ? kernel->axes : "");
    return 0;
}

static int note_own_reference(void *user, const gputune_kernel *kernel)
{
    (void)user;
    if (kernel->self_reference) {
        cli_note("%s: its reference is its own default variant, so results are only compared with "
                 "those of the default",
                 kernel->name);
    }
    return 0;
}

void cli_note_own_references(const cli_session *session, const char *name)
{
    (void)gputune_kernels(session->tuner, name, note_own_reference, NULL);
}

static int unknown_name(const cli_session *session, const char *name)
{
    CLI_REFUSE(strchr(name, '='), CLI_EXIT_USAGE, "unknown kernel '%s'; give a size with --size %s",
               name, name);
    cli_catalogue all = {NULL, 0};
    CLI_TRY(cli_passed(gputune_kernels(session->tuner, NULL, take_kernel, &all)));
    const char **names = cli_allocate(all.count, sizeof *names);
    for (size_t i = 0; i < all.count; i++) {
        names[i] = all.items[i].name;
    }
    const char *file = cli_format("./%s.cu", name);
    CLI_REFUSE(access(file, R_OK) == 0, CLI_EXIT_USAGE,
               "unknown kernel '%s'; to use your own template, give its path: %s", name, file);
    return cli_unknown("kernel", name, names, all.count);
}

static int find_kernel(cli_catalogue *out, const cli_session *session, const char *name)
{
    const size_t first = out->count;
    const int status = gputune_kernels(session->tuner, name, take_kernel, out);
    for (size_t i = first; i < out->count; i++) {
        cli_kernel *kernel = &out->items[i];
        kernel->given = strcmp(kernel->name, name) == 0
                            ? kernel->name
                            : cli_format("%s:%s", kernel->path, kernel->name);
    }
    return status == GPUTUNE_ENOTFOUND && !cli_is_path(name) ? unknown_name(session, name)
                                                             : cli_passed(status);
}

int cli_catalogue_find(cli_catalogue *out, const cli_session *session, const cli_list *names)
{
    *out = (cli_catalogue){NULL, 0};
    for (size_t i = 0; i < names->count; i++) {
        CLI_TRY(find_kernel(out, session, names->items[i]));
    }
    return CLI_CONTINUE;
}

static int check_one(const cli_catalogue *catalogue)
{
    const cli_kernel *first = &catalogue->items[0];
    char *list = NULL;
    if (catalogue->count == 1) {
        return CLI_CONTINUE;
    }
    for (size_t i = 0; i < catalogue->count; i++) {
        cli_join(&list, ", ", catalogue->items[i].name);
    }
    return cli_stop(CLI_EXIT_USAGE, "%s has the kernels %s; this command takes one, as in %s:%s",
                    first->path, list, first->path, first->name);
}

static int check_names(const cli_values *values, bool axes, const cli_catalogue *catalogue)
{
    const char **known = NULL;
    size_t count = 0;
    for (size_t k = 0; k < catalogue->count; k++) {
        const cli_kernel *kernel = &catalogue->items[k];
        const cli_values *own = axes ? &kernel->axes : &kernel->sizes;
        for (size_t i = 0; i < own->count; i++) {
            const char *name = own->items[i].name;
            if (gt_index_of(name, known, count) == count) {
                cli_push(known, count, name);
            }
        }
    }
    for (size_t v = 0; v < values->count; v++) {
        const char *name = values->items[v].name;
        if (gt_index_of(name, known, count) == count) {
            return cli_unknown(axes ? "axis" : "size", name, known, count);
        }
    }
    return CLI_CONTINUE;
}

int cli_stored_name(const cli_session *session, const char *name)
{
    return name && cli_is_path(name) ? cli_passed(gputune_add_template(session->tuner, name))
                                     : CLI_CONTINUE;
}

int cli_stored_sizes(const char **out)
{
    cli_values values = {NULL, 0};
    char *text = NULL;
    int code = cli_values_read(&values, "--size", &cli_given.selection.sizes);
    for (size_t i = 0; i < values.count; i++) {
        cli_join(&text, " ", text_of_values(&values.items[i]));
    }
    *out = text;
    return code;
}

int cli_stored_filter(gputune_record_filter *out, const cli_session *session)
{
    out->gpu = cli_given.gpu;
    out->any_gpu = cli_given.any_gpu || cli_given.gpu || !session->has_device;
    return cli_stored_sizes(&out->sizes);
}

int cli_stored_nothing(const cli_session *session, const gputune_record_filter *filter)
{
    const char *kernel = filter->kernel, *all = filter->rules ? " --sizes" : "";
    cli_values values = {NULL, 0};
    cli_catalogue catalogue;
    if (kernel) {
        CLI_TRY(cli_catalogue_find(&catalogue, session, &(cli_list){&kernel, 1}));
        CLI_TRY(cli_values_read(&values, "--size", &cli_given.selection.sizes));
        CLI_TRY(check_names(&values, false, &catalogue));
    }
    const char *gpu = filter->gpu       ? cli_format(" on a GPU '%s'", filter->gpu)
                      : filter->any_gpu ? ""
                                        : " on this GPU";
    const char *sizes = filter->sizes ? cli_format(" at %s", filter->sizes) : "";
    cli_note("no %s for %s%s%s yet; run 'gputune warm %s%s'%s", filter->rules ? "rules" : "results",
             kernel ? kernel : "any kernel", gpu, sizes, kernel ? cli_shell_word(kernel) : "KERNEL",
             all, filter->any_gpu ? "" : ", or add --any-gpu to see results of other GPUs");
    return CLI_EXIT_NOTHING;
}

/* ---- scenarios ------------------------------------------------------------------------------- */

const char *cli_size_number(int64_t *out, const char *text)
{
    int64_t value;
    gt_int_reading reading = gt_read_int(&value, text);
    if (reading == GT_INT_MALFORMED) {
        return "is not a number; write 1048576, 1M or 2^20";
    }
    if (reading == GT_INT_TOO_LARGE || value < 0 || value > GT_SIZE_MAX) {
        return "is out of range; a size is from 0 to 2^40";
    }
    *out = value;
    return NULL;
}

gputune_sizes cli_sizes_of(const char *text)
{
    gputune_size *sizes = NULL;
    size_t count = 0;
    for (size_t length; *(text += strspn(text, " ")); text += length) {
        length = gt_setting_length(text, false);
        cli_push(sizes, count, (gputune_size){cli_copy_part(text, length), 0});
    }
    return (gputune_sizes){count, sizes};
}

enum { MOST_SCENARIOS = 10000 };
/* Larger default sizes are reduced on the emulator: it runs 10^8 thread instructions per second. */
static const int64_t emulated_size = 1 << 16;
static const char emulated_size_text[] = "65536";

/* Returns the emulator's replacement for a large default size, or "" if the size is not large. */
static const char *small_size(const char *value)
{
    int64_t number;
    bool large = !cli_size_number(&number, value) && number > emulated_size;
    return large ? emulated_size_text : "";
}

static void append_size(char **text, const char *name, const char *value)
{
    int64_t number;
    cli_append(text, "%s%s=%s", (*text)[0] ? " " : "", name,
               cli_size_number(&number, value) ? value : cli_format("%" PRId64, number));
}

/* Appends a size to the text of all sizes. If the size is not the default, appends it to the text
 * of changed sizes too. Refuses invalid numbers. */
static int add_size(char **all, char **changed, const cli_value_list *own,
                    const cli_value_list *given, size_t which, bool emulated)
{
    int64_t number;
    const char *name = own->name, *fallback = own->values[0];
    const char *value = given ? given->values[which] : emulated ? small_size(fallback) : "";
    const char *problem = NULL;
    append_size(all, name, value[0] ? value : fallback);
    if (value[0]) {
        append_size(changed, name, value);
        problem = cli_size_number(&number, fallback) ? NULL : cli_size_number(&number, value);
    }
    CLI_REFUSE(problem, CLI_EXIT_USAGE, "size '%s=%s' %s", name, value, problem);
    return CLI_CONTINUE;
}

/* Returns true if the kernel has all axes of a --start value. */
static bool takes_start(const cli_kernel *kernel, const char *text)
{
    cli_values axes = {NULL, 0};
    bool takes = cli_values_parse(&axes, "--start", text) == CLI_CONTINUE;
    for (size_t i = 0; i < axes.count; i++) {
        takes &= cli_values_find(&kernel->axes, axes.items[i].name) != NULL;
    }
    return takes;
}

static int check_starts(const cli_list *starts, const cli_catalogue *catalogue)
{
    cli_values axes = {NULL, 0};
    CLI_TRY(cli_values_read(&axes, "--start", starts));
    CLI_TRY(check_names(&axes, true, catalogue));
    for (size_t i = 0; i < starts->count; i++) {
        bool fits = false;
        for (size_t k = 0; k < catalogue->count; k++) {
            fits |= takes_start(&catalogue->items[k], starts->items[i]);
        }
        CLI_REFUSE(!fits, CLI_EXIT_USAGE,
                   "--start: no kernel has all axes of '%s'; expected axes of one kernel",
                   starts->items[i]);
    }
    return CLI_CONTINUE;
}

/* Adds the kernel's scenario for combination number `index` of the sizes. */
static int add_scenario(cli_scenarios *out, const cli_kernel *kernel, size_t index, bool emulated)
{
    cli_scenario *scenario =
        cli_add(out, (cli_scenario){.kernel = kernel, .size_text = cli_copy("")});
    char *changed = cli_copy("");
    for (size_t i = 0; i < out->only.count; i++) {
        const cli_value_list *only = &out->only.items[i];
        if (cli_values_find(&kernel->axes, only->name)) {
            cli_push(scenario->only, scenario->only_count, text_of_values(only));
        }
    }
    for (size_t i = 0; i < out->starts.count; i++) {
        if (takes_start(kernel, out->starts.items[i])) {
            cli_push(scenario->starts, scenario->start_count, out->starts.items[i]);
        }
    }
    for (size_t i = 0; i < kernel->sizes.count; i++) {
        const cli_value_list *own = &kernel->sizes.items[i];
        const cli_value_list *given = cli_values_find(&out->sizes, own->name);
        size_t count = given ? given->count : 1;
        CLI_TRY(add_size(&scenario->size_text, &changed, own, given, index % count, emulated));
        index /= count;
    }
    scenario->sizes = cli_sizes_of(changed);
    scenario->label = cli_label(kernel->name, scenario->size_text);
    return CLI_CONTINUE;
}

/* Drops the last scenario if it is a duplicate, because a size may be given twice: "1K,1024". */
static void drop_if_known(cli_scenarios *out)
{
    const cli_scenario *last = &out->items[out->count - 1], *at = out->items;
    while (at->kernel != last->kernel || strcmp(at->size_text, last->size_text) != 0) {
        at++;
    }
    out->count -= at < last;
}

static void print_small_sizes(const cli_scenarios *out, const cli_kernel *kernel)
{
    char *small = cli_copy(""), *large = cli_copy("");
    for (size_t i = 0; i < kernel->sizes.count; i++) {
        const char *name = kernel->sizes.items[i].name, *value = kernel->sizes.items[i].values[0];
        if (!cli_values_find(&out->sizes, name) && small_size(value)[0]) {
            append_size(&small, name, small_size(value));
            append_size(&large, name, value);
        }
    }
    if (small[0]) {
        cli_note("%s: using %s, because the emulator is slow (default: %s); choose with --size",
                 kernel->name, cli_short_sizes(small), cli_short_sizes(large));
    }
}

static int add_kernel(cli_scenarios *out, const cli_kernel *kernel, bool emulated)
{
    size_t combinations = 1;
    for (size_t i = 0; i < kernel->sizes.count; i++) {
        const cli_value_list *list = cli_values_find(&out->sizes, kernel->sizes.items[i].name);
        combinations *= list ? list->count : 1;
        CLI_REFUSE(combinations + out->count > MOST_SCENARIOS, CLI_EXIT_USAGE,
                   "too many scenarios; expected at most %d", (int)MOST_SCENARIOS);
    }
    for (size_t index = 0; index < combinations; index++) {
        CLI_TRY(add_scenario(out, kernel, index, emulated));
        drop_if_known(out);
    }
    if (emulated) {
        print_small_sizes(out, kernel);
    }
    return CLI_CONTINUE;
}

int cli_scenarios_make(cli_scenarios *out, const cli_catalogue *catalogue,
                       const cli_selection *selection, const cli_session *session)
{
    memset(out, 0, sizeof *out);
    CLI_TRY(cli_values_read(&out->sizes, "--size", &selection->sizes));
    CLI_TRY(cli_values_read(&out->only, "--only", &selection->only));
    CLI_TRY(check_names(&out->sizes, false, catalogue));
    CLI_TRY(check_names(&out->only, true, catalogue));
    CLI_TRY(check_starts(&selection->starts, catalogue));
    out->starts = selection->starts;
    bool emulated = session->has_device && session->device.emulated && !selection->keeps_sizes;
    for (size_t i = 0; i < catalogue->count; i++) {
        CLI_TRY(add_kernel(out, &catalogue->items[i], emulated));
    }
    return CLI_CONTINUE;
}

int cli_single(cli_open_mode mode, const char *name, cli_work work)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    cli_catalogue catalogue;
    cli_scenarios scenarios;
    CLI_TRY(cli_open(&session, mode));
    CLI_TRY(cli_catalogue_find(&catalogue, &session, &(cli_list){&name, 1}));
    CLI_TRY(check_one(&catalogue));
    CLI_TRY(cli_scenarios_make(&scenarios, &catalogue, &cli_given.selection, &session));
    CLI_REFUSE(scenarios.count != 1, CLI_EXIT_USAGE,
               "--size: this command takes one value for each size");
    if (mode == CLI_OPEN_TUNING) { /* after Ctrl-C, the results so far are still printed */
        cli_catch_interrupt();
    }
    return work(&session, scenarios.items);
}

/* ---- tuning options -------------------------------------------------------------------------- */

struct cli_tuning cli_tuning;

const char *const cli_cache_words[] = {"cold", "hot", NULL};
const char *const cli_effort_words[] = {"measure", "cached", "estimate", "exhaustive", NULL};

const char *cli_objective_words[GPUTUNE_OBJECTIVE_COUNT + 1];
const char *cli_objective_any_words[GPUTUNE_OBJECTIVE_COUNT + 1];
const char *cli_strategy_words[GPUTUNE_STRATEGY_COUNT + 1];

void cli_tuning_words(void)
{
    for (int i = 0; i < GPUTUNE_OBJECTIVE_COUNT; i++) {
        cli_objective_words[i] = gputune_objective_name((gputune_objective)i);
        cli_objective_any_words[i] = i ? cli_objective_words[i] : "any";
    }
    for (int i = 0; i < GPUTUNE_STRATEGY_COUNT; i++) {
        cli_strategy_words[i] = gputune_strategy_name((gputune_strategy)i);
    }
}

static const gputune_effort efforts[] = {GPUTUNE_MEASURE, GPUTUNE_CACHED_ONLY, GPUTUNE_ESTIMATE,
                                         GPUTUNE_EXHAUSTIVE};

int cli_tuning_inputs(void)
{
    gputune_file *files = NULL;
    size_t count = 0;
    for (size_t i = 0; i < cli_tuning.inputs.count; i++) {
        const char *text = cli_tuning.inputs.items[i], *sign = strchr(text, '=');
        CLI_REFUSE(!sign || sign == text || !sign[1], CLI_EXIT_USAGE,
                   "--input: found '%s'; expected NAME=FILE, as in x=x.npy", text);
        cli_push(files, count,
                 (gputune_file){cli_copy_part(text, (size_t)(sign - text)), sign + 1});
    }
    cli_tuning.options.files = files;
    cli_tuning.options.file_count = count;
    return CLI_CONTINUE;
}

gputune_options cli_tuning_options(const cli_scenario *scenario)
{
    gputune_options options = cli_tuning.options;
    options.size = sizeof(gputune_options);
    options.effort = efforts[cli_tuning.effort];
    options.seed = cli_tuning.seed;
    options.only = scenario->only;
    options.only_count = scenario->only_count;
    options.start = scenario->starts;
    options.start_count = scenario->start_count;
    options.cancel = &cli_canceled;
    const gputune_options *terms = scenario->terms;
    if (terms) {
        options.objective = terms->objective;
        options.cache = terms->cache;
        options.seed = terms->seed;
        options.alignment = terms->alignment;
        options.alignments = terms->alignments;
        options.alignment_count = terms->alignment_count;
    }
    return options;
}

bool cli_is_of_scenario(const gputune_record *record, const cli_scenario *scenario)
{
    const gputune_options wanted = cli_tuning_options(scenario);
    const uint64_t seed = wanted.seed ? wanted.seed : 1;
    return !record->outdated && strcmp(record->sizes, scenario->size_text) == 0 &&
           record->cache == wanted.cache &&
           record->objective ==
               (wanted.objective ? wanted.objective : scenario->kernel->objective) &&
           (wanted.file_count || !strcmp(record->inputs, cli_format("seed=%" PRIu64, seed)));
}

double cli_limit_s(const cli_session *session, double limit_s)
{
    static const double emulated_limit_s = 30; /* a longer limit, because the emulator is slow */
    return limit_s > 0 || !session->device.emulated ? limit_s : emulated_limit_s;
}
