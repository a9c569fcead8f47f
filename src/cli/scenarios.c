/* Makes the scenarios of a command line: kernels times the cross product of the sizes. */
#include "cli/scenarios.h"

#include "cli/console.h"
#include "cli/units.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_SCENARIOS = 10000 };
/* The size of a problem that takes seconds: an emulator runs some 10^8 thread instructions a
 * second. */
static const int64_t emulated_size = 1 << 16;
static const char emulated_size_text[] = "65536";

static bool has_name(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static char *const *names_of(const cli_kernel *kernel, bool axes, size_t *count)
{
    *count = axes ? kernel->axis_count : kernel->size_count;
    return axes ? kernel->axis_names : kernel->size_names;
}

static const char **add_name(const char **names, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(names[i], name) == 0) {
            return names;
        }
    }
    names = cli_grow(names, *count, sizeof *names);
    names[(*count)++] = name;
    return names;
}

/* Every given name must be one of some selected kernel's. */
static int check_names(const cli_values *values, bool axes, const cli_catalogue *catalogue)
{
    for (size_t v = 0; v < values->count; v++) {
        const char *name = values->lists[v].name;
        const char **known = NULL;
        size_t known_count = 0, n;
        bool found = false;
        for (size_t k = 0; k < catalogue->count; k++) {
            char *const *names = names_of(&catalogue->kernels[k], axes, &n);
            found |= has_name(names, n, name);
            for (size_t i = 0; i < n; i++) {
                known = add_name(known, &known_count, names[i]);
            }
        }
        CLI_TRY(found ? CLI_CONTINUE
                      : cli_unknown(axes ? "axis" : "size", name, known, known_count));
    }
    return CLI_CONTINUE;
}

static char *only_text(const cli_value_list *list)
{
    char *text = cli_format("%s=", list->name);
    for (size_t i = 0; i < list->count; i++) {
        cli_append(&text, "%s%s", i ? "," : "", list->values[i]);
    }
    return text;
}

static void set_only(cli_scenario *scenario, const cli_scenarios *all)
{
    for (size_t i = 0; i < all->only.count; i++) {
        const cli_kernel *kernel = scenario->kernel;
        if (has_name(kernel->axis_names, kernel->axis_count, all->only.lists[i].name)) {
            scenario->only = cli_grow(scenario->only, scenario->only_count, sizeof(char *));
            scenario->only[scenario->only_count++] = all->only_texts[i];
        }
    }
}

static int add_size(cli_scenario *scenario, const char *name, const char *value)
{
    scenario->sizes = cli_grow(scenario->sizes, scenario->size_count, sizeof *scenario->sizes);
    return cli_size_make(&scenario->sizes[scenario->size_count++], name, value);
}

/* The value that a size gets on an emulator when it is not given; "": the template's default. */
static const char *small_size(const char *value)
{
    int64_t number;
    const char *problem;
    bool large = cli_size_number(&number, &problem, value) && number > emulated_size;
    return large ? emulated_size_text : "";
}

/* Adds a size to the scenario's text. */
static void add_text(cli_scenario *scenario, const char *name, const char *value)
{
    int64_t number;
    const char *problem;
    const char *separator = scenario->size_text[0] ? " " : "";
    if (cli_size_number(&number, &problem, value)) {
        cli_append(&scenario->size_text, "%s%s=%" PRId64, separator, name, number);
    } else {
        cli_append(&scenario->size_text, "%s%s=%s", separator, name, value);
    }
}

/* A word for a size whose default is a number is found out before anything is tuned. */
static int check_number(const char *name, const char *value, const char *fallback)
{
    int64_t number;
    const char *problem;
    if (!value[0] || !cli_size_number(&number, &problem, fallback) ||
        cli_size_number(&number, &problem, value) || problem[0]) {
        return CLI_CONTINUE; /* what else is wrong with a number is told where it is read */
    }
    return cli_stop(CLI_EXIT_USAGE, "size '%s=%s' is not a number; write 1048576, 1M or 2^20", name,
                    value);
}

static int choose_size(cli_scenario *scenario, const cli_value_list *list, size_t which, size_t at,
                       bool emulated)
{
    const cli_kernel *kernel = scenario->kernel;
    const char *name = kernel->size_names[at], *fallback = kernel->size_values[at];
    const char *value = list ? list->values[which] : emulated ? small_size(fallback) : "";
    add_text(scenario, name, value[0] ? value : fallback);
    CLI_TRY(check_number(name, value, fallback));
    return value[0] ? add_size(scenario, name, value) : CLI_CONTINUE;
}

/* The `index`-th combination of the kernel's given sizes. */
static int add_scenario(cli_scenarios *out, const cli_kernel *kernel, size_t index, bool emulated)
{
    out->items = cli_grow(out->items, out->count, sizeof *out->items);
    cli_scenario *scenario = &out->items[out->count++];
    *scenario = (cli_scenario){.kernel = kernel, .size_text = cli_copy("")};
    set_only(scenario, out);
    for (size_t i = 0; i < kernel->size_count; i++) {
        const cli_value_list *list = cli_values_find(&out->sizes, kernel->size_names[i]);
        size_t count = list ? list->count : 1;
        CLI_TRY(choose_size(scenario, list, index % count, i, emulated));
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
    for (size_t i = 0; i < kernel->size_count; i++) {
        const char *name = kernel->size_names[i], *value = kernel->size_values[i];
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
    for (size_t i = 0; i < kernel->size_count; i++) {
        const cli_value_list *list = cli_values_find(&out->sizes, kernel->size_names[i]);
        combinations *= list ? list->count : 1;
        if (combinations + out->count > MOST_SCENARIOS) {
            return cli_stop(CLI_EXIT_USAGE, "too many scenarios; a run takes %d at most",
                            (int)MOST_SCENARIOS);
        }
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

static int read_values(cli_scenarios *out, const cli_catalogue *catalogue,
                       const cli_selection *selection)
{
    CLI_TRY(cli_values_read(&out->sizes, "--size", &selection->sizes));
    CLI_TRY(cli_values_read(&out->only, "--only", &selection->only));
    CLI_TRY(check_names(&out->sizes, false, catalogue));
    CLI_TRY(check_names(&out->only, true, catalogue));
    out->only_texts = cli_allocate(out->only.count, sizeof *out->only_texts);
    for (size_t i = 0; i < out->only.count; i++) {
        out->only_texts[i] = only_text(&out->only.lists[i]);
    }
    return CLI_CONTINUE;
}

int cli_scenarios_make(cli_scenarios *out, const cli_catalogue *catalogue,
                       const cli_selection *selection, const cli_session *session)
{
    memset(out, 0, sizeof *out);
    CLI_TRY(read_values(out, catalogue, selection));
    bool emulated = session->has_device && session->device.emulated &&
                    !(selection->cuts_sizes && !selection->sizes.count);
    for (size_t i = 0; i < catalogue->count; i++) {
        CLI_TRY(add_kernel(out, &catalogue->kernels[i], emulated));
    }
    return CLI_CONTINUE;
}

int cli_single(const cli_common *common, cli_open_mode mode, cli_selection *selection, char **name,
               cli_work work, void *user)
{
    cli_session session;
    cli_catalogue catalogue;
    cli_scenarios scenarios;
    selection->kernels = name;
    selection->kernel_count = 1;
    CLI_TRY(cli_open(&session, common, mode));
    CLI_TRY(cli_catalogue_find(&catalogue, &session, name, 1));
    CLI_TRY(cli_catalogue_one(&catalogue));
    CLI_TRY(cli_scenarios_make(&scenarios, &catalogue, selection, &session));
    if (scenarios.count != 1) {
        return cli_stop(CLI_EXIT_USAGE, "--size: this command takes one value for each size");
    }
    if (mode == CLI_OPEN_TUNING) { /* what is measured by then is told */
        cli_catch_interrupt();
    }
    return work(user, &session, scenarios.items);
}

gputune_sizes cli_scenario_sizes(const cli_scenario *scenario)
{
    gputune_sizes sizes = {scenario->size_count, scenario->sizes};
    return sizes;
}
