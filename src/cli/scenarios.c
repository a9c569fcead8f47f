/* Makes the scenarios of a command line, kernels times the cross product of the sizes, and the
 * options by which they are tuned. */
#include "cli/scenarios.h"

#include "cli/console.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/units.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

bool cli_size_number(int64_t *out, const char **problem, const char *text)
{
    int64_t value;
    const char *ignored;
    problem = problem ? problem : &ignored;
    *problem = "";
    if (!isdigit((unsigned char)text[*text == '-'])) {
        return false;
    }
    gt_int_reading reading = gt_read_int(&value, text);
    if (reading == GT_INT_MALFORMED) {
        *problem = "is not a number; write 1048576, 1M or 2^20";
        return false;
    }
    if (reading == GT_INT_TOO_LARGE || value < 0 || value > GT_SIZE_MAX) {
        *problem = "is out of range; a size is from 0 to 2^40";
        return false;
    }
    *out = value;
    return true;
}

int cli_size_make(gputune_size *out, const char *name, const char *value)
{
    int64_t number;
    const char *problem;
    if (cli_size_number(&number, &problem, value)) {
        *out = (gputune_size){name, number};
        return CLI_CONTINUE;
    }
    CLI_REFUSE(problem[0], CLI_EXIT_USAGE, "size '%s=%s' %s", name, value, problem);
    *out = (gputune_size){cli_format("%s=%s", name, value), 0};
    return CLI_CONTINUE;
}

bool cli_sizes_read(gputune_sizes *out, const char *text)
{
    cli_values values = {NULL, 0};
    if (text[strspn(text, " ")] && cli_values_parse(&values, "sizes", text) != CLI_CONTINUE) {
        return false;
    }
    gputune_size *sizes = cli_allocate(values.count + 1, sizeof *sizes);
    for (size_t i = 0; i < values.count; i++) {
        const cli_value_list *list = &values.lists[i];
        if (cli_size_make(&sizes[i], list->name, list->values[0]) != CLI_CONTINUE) {
            return false;
        }
    }
    *out = (gputune_sizes){values.count, sizes};
    return true;
}

enum { MOST_SCENARIOS = 10000 };
/* The size of a problem that takes seconds: an emulator runs some 10^8 thread instructions a
 * second. */
static const int64_t emulated_size = 1 << 16;
static const char emulated_size_text[] = "65536";

/* Every given name must be one of some selected kernel's. */
static int check_names(const cli_values *values, bool axes, const cli_catalogue *catalogue)
{
    const char **known = NULL;
    size_t count = 0;
    for (size_t k = 0; k < catalogue->count; k++) {
        const cli_kernel *kernel = &catalogue->kernels[k];
        const cli_values *own = axes ? &kernel->axes : &kernel->sizes;
        for (size_t i = 0; i < own->count; i++) {
            const char *name = own->lists[i].name;
            if (gt_index_of(name, known, count) == count) {
                cli_push(known, count, name);
            }
        }
    }
    for (size_t v = 0; v < values->count; v++) {
        const char *name = values->lists[v].name;
        if (gt_index_of(name, known, count) == count) {
            return cli_unknown(axes ? "axis" : "size", name, known, count);
        }
    }
    return CLI_CONTINUE;
}

static void set_only(cli_scenario *scenario, const cli_values *only)
{
    for (size_t i = 0; i < only->count; i++) {
        if (cli_values_find(&scenario->kernel->axes, only->lists[i].name)) {
            cli_push(scenario->only, scenario->only_count, cli_values_text(&only->lists[i]));
        }
    }
}

/* The value that a size gets on an emulator when it is not given; "": the template's default. */
static const char *small_size(const char *value)
{
    int64_t number;
    bool large = cli_size_number(&number, NULL, value) && number > emulated_size;
    return large ? emulated_size_text : "";
}

/* A number in digits, however it is written; other texts as they are. */
static const char *in_digits(const char *value)
{
    int64_t number;
    return cli_size_number(&number, NULL, value) ? cli_format("%" PRId64, number) : value;
}

/* A word for a size whose default is a number is found out before anything is tuned. */
static int check_number(const char *name, const char *value, const char *fallback)
{
    int64_t number;
    const char *problem;
    if (!value[0] || !cli_size_number(&number, NULL, fallback) ||
        cli_size_number(&number, &problem, value) || problem[0]) {
        return CLI_CONTINUE; /* what else is wrong with a number is told where it is read */
    }
    return cli_stop(CLI_EXIT_USAGE, "size '%s=%s' is not a number; write 1048576, 1M or 2^20", name,
                    value);
}

/* Adds the size that `own` of the kernel names: a value of `given` or, without it, the default. */
static int add_size(cli_scenario *scenario, const cli_value_list *own, const cli_value_list *given,
                    size_t which, bool emulated)
{
    const char *name = own->name, *fallback = own->values[0];
    const char *value = given ? given->values[which] : emulated ? small_size(fallback) : "";
    cli_append(&scenario->size_text, "%s%s=%s", scenario->size_text[0] ? " " : "", name,
               in_digits(value[0] ? value : fallback));
    CLI_TRY(check_number(name, value, fallback));
    if (!value[0]) {
        return CLI_CONTINUE;
    }
    gputune_size *sizes =
        cli_grow((void *)scenario->sizes.items, scenario->sizes.count, sizeof *sizes);
    scenario->sizes.items = sizes;
    return cli_size_make(&sizes[scenario->sizes.count++], name, value);
}

/* The `index`-th combination of the kernel's given sizes. */
static int add_scenario(cli_scenarios *out, const cli_kernel *kernel, size_t index, bool emulated)
{
    cli_push(out->items, out->count, (cli_scenario){.kernel = kernel, .size_text = cli_copy("")});
    cli_scenario *scenario = &out->items[out->count - 1];
    set_only(scenario, &out->only);
    for (size_t i = 0; i < kernel->sizes.count; i++) {
        const cli_value_list *own = &kernel->sizes.lists[i];
        const cli_value_list *given = cli_values_find(&out->sizes, own->name);
        size_t count = given ? given->count : 1;
        CLI_TRY(add_size(scenario, own, given, index % count, emulated));
        index /= count;
    }
    char *brief = cli_short_sizes(scenario->size_text);
    scenario->label = cli_format("%s%s%s", kernel->name, brief[0] ? " " : "", brief);
    return CLI_CONTINUE;
}

/* The same sizes may be written in several ways: "1K,1024". */
static void drop_if_known(cli_scenarios *out)
{
    cli_scenario *last = &out->items[out->count - 1];
    for (size_t i = 0; i + 1 < out->count; i++) {
        const cli_scenario *other = &out->items[i];
        if (other->kernel == last->kernel && strcmp(other->size_text, last->size_text) == 0) {
            out->count--;
            return;
        }
    }
}

/* Sizes that are not given, and are not the template's because a GPU is only emulated. */
static void say_small_sizes(const cli_scenarios *out, const cli_kernel *kernel)
{
    char *small = cli_copy(""), *large = cli_copy("");
    for (size_t i = 0; i < kernel->sizes.count; i++) {
        const char *name = kernel->sizes.lists[i].name, *value = kernel->sizes.lists[i].values[0];
        if (!cli_values_find(&out->sizes, name) && small_size(value)[0]) {
            const char *separator = small[0] ? " " : "";
            cli_append(&small, "%s%s=%s", separator, name, small_size(value));
            cli_append(&large, "%s%s=%s", separator, name, value);
        }
    }
    if (small[0]) {
        cli_note("%s: %s on the emulator, in place of %s; --size asks for another", kernel->name,
                 cli_short_sizes(small), cli_short_sizes(large));
    }
}

static int add_kernel(cli_scenarios *out, const cli_kernel *kernel, bool emulated)
{
    size_t combinations = 1;
    for (size_t i = 0; i < kernel->sizes.count; i++) {
        const cli_value_list *list = cli_values_find(&out->sizes, kernel->sizes.lists[i].name);
        combinations *= list ? list->count : 1;
        CLI_REFUSE(combinations + out->count > MOST_SCENARIOS, CLI_EXIT_USAGE,
                   "too many scenarios; a run takes %d at most", (int)MOST_SCENARIOS);
    }
    for (size_t index = 0; index < combinations; index++) {
        CLI_TRY(add_scenario(out, kernel, index, emulated));
        drop_if_known(out);
    }
    if (emulated) {
        say_small_sizes(out, kernel);
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
    bool emulated = session->has_device && session->device.emulated &&
                    !(selection->cuts_sizes && !selection->sizes.count);
    for (size_t i = 0; i < catalogue->count; i++) {
        CLI_TRY(add_kernel(out, &catalogue->kernels[i], emulated));
    }
    return CLI_CONTINUE;
}

int cli_single(cli_open_mode mode, char **name, cli_work work)
{
    cli_session session;
    cli_catalogue catalogue;
    cli_scenarios scenarios;
    CLI_TRY(cli_open(&session, mode));
    CLI_TRY(cli_catalogue_find(&catalogue, &session, name, 1));
    CLI_TRY(cli_catalogue_one(&catalogue));
    CLI_TRY(cli_scenarios_make(&scenarios, &catalogue, &cli_given.selection, &session));
    CLI_REFUSE(scenarios.count != 1, CLI_EXIT_USAGE,
               "--size: this command takes one value for each size");
    if (mode == CLI_OPEN_TUNING) { /* what is measured by then is told */
        cli_catch_interrupt();
    }
    return work(&session, scenarios.items);
}

/* ---- how they are tuned ---------------------------------------------------------------------- */

struct cli_tuning cli_tuning;

const char *const cli_cache_words[] = {"cold", "hot", NULL};
const char *const cli_effort_words[] = {"measure", "cached", "estimate", "exhaustive", NULL};

const char *cli_objective_words[GPUTUNE_OBJECTIVE_COUNT + 1];
const char *cli_objective_all_words[GPUTUNE_OBJECTIVE_COUNT + 2] = {[CLI_OBJECTIVE_ALL] = "all"};
const char *cli_objective_any_words[GPUTUNE_OBJECTIVE_COUNT + 1];
const char *cli_strategy_words[GPUTUNE_STRATEGY_COUNT + 1];

void cli_tuning_words(void)
{
    for (int i = 0; i < GPUTUNE_OBJECTIVE_COUNT; i++) {
        cli_objective_words[i] = cli_objective_all_words[i] =
            gputune_objective_name((gputune_objective)i);
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
    cli_tuning.files = cli_allocate(cli_tuning.inputs.count, sizeof *cli_tuning.files);
    for (size_t i = 0; i < cli_tuning.inputs.count; i++) {
        const char *text = cli_tuning.inputs.items[i], *sign = strchr(text, '=');
        CLI_REFUSE(!sign || sign == text || !sign[1], CLI_EXIT_USAGE,
                   "--input: found '%s'; expected NAME=FILE, as in x=x.npy", text);
        cli_tuning.files[i] = (gputune_file){cli_copy_part(text, (size_t)(sign - text)), sign + 1};
    }
    return CLI_CONTINUE;
}

gputune_options cli_tuning_options(const cli_scenario *scenario)
{
    gputune_options options = cli_tuning.options;
    options.version = GPUTUNE_OPTIONS_VERSION;
    options.effort = efforts[cli_tuning.effort];
    options.objective = (gputune_objective)cli_tuning.objective;
    options.cache = (gputune_cache)cli_tuning.cache;
    options.strategy = (gputune_strategy)cli_tuning.strategy;
    options.seed = cli_tuning.seed;
    options.only = scenario->only;
    options.only_count = scenario->only_count;
    options.files = cli_tuning.files;
    options.file_count = cli_tuning.inputs.count;
    options.cancel = cli_cancel();
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
