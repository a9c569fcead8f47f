/* The pragma launch: one step of a pipeline of kernels. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

enum { USE_PLAN = GT_USE_PROBLEM | GT_USE_AXIS };

int gt_parse_parameter_index(const gt_parse *parse, const char *name)
{
    const gt_template *template = parse->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (strcmp(template->arguments[i].name, name) == 0) {
            return (int)i;
        }
    }
    for (uint32_t i = 0; i < parse->parts->scratch_count; i++) {
        if (strcmp(parse->parts->scratch[i].name, name) == 0) {
            return (int)(template->argument_count + i);
        }
    }
    return -1;
}

static gputune_status read_argument(gt_template_step *step, gt_parse *parse, gt_lexer *body)
{
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_name_read(name, sizeof name, body, "the name of an argument or scratch"));
    int index = gt_parse_parameter_index(parse, name);
    if (index < 0) {
        return gt_fail_at(place, "unknown argument '%s'; expected one of args() or scratch()",
                          name);
    }
    if (step->argument_count == GT_STEP_ARGUMENTS) {
        return gt_fail_at(place, "more than %d arguments; expected fewer", GT_STEP_ARGUMENTS);
    }
    step->arguments[step->argument_count++] = (uint32_t)index;
    return GPUTUNE_OK;
}

/* `(y, x, n)` */
static gputune_status read_arguments(gt_template_step *step, gt_parse *parse, gt_lexer *body)
{
    GT_TRY(gt_lexer_expect(body, "("));
    do {
        GT_TRY(read_argument(step, parse, body));
    } while (gt_lexer_accept(body, ","));
    return gt_lexer_expect(body, ")");
}

/* A step without args = (…) takes what a single kernel would. */
static gputune_status take_all(gt_template_step *step, const gt_parse *parse)
{
    uint32_t count = parse->template->argument_count + parse->parts->scratch_count;
    if (count > GT_STEP_ARGUMENTS) {
        return gt_fail_at(step->kernel.place, "more than %d arguments; expected args = (…)",
                          GT_STEP_ARGUMENTS);
    }
    for (uint32_t i = 0; i < count; i++) {
        step->arguments[i] = i;
    }
    step->argument_count = count;
    return GPUTUNE_OK;
}

/* Where the settings of a step go: the first step's shape is the template's own. */
typedef struct settings {
    gt_dimensions *block, *grid, *cluster;
    gt_expression **shared, **cooperative;
} settings;

static settings settings_of(gt_template_parts *parts, gt_template_step *step)
{
    return step == &parts->steps[0] ? (settings){&parts->block, &parts->grid, &parts->cluster,
                                                 &parts->shared, &parts->cooperative}
                                    : (settings){&step->block, &step->grid, &step->cluster,
                                                 &step->shared, &step->cooperative};
}

static gputune_status read_shape(gt_dimensions *out, gt_parse *parse, gt_lexer *body,
                                 const char *name, gt_place place)
{
    return out->count ? gt_fail_at(place, "'%s' given twice; expected it once", name)
                      : gt_read_dimensions(out, parse, body, USE_PLAN);
}

/* The settings that are one expression, and those that are up to three. */
typedef struct setting {
    const char *name;
    gt_expression **value;
    gt_dimensions *shape;
} setting;

static gputune_status read_value(const setting *setting, gt_template_step *step, gt_parse *parse,
                                 gt_lexer *body, gt_place place)
{
    if (setting->value == &step->programmatic && step == &parse->parts->steps[0]) {
        return gt_fail_at(place, "the first launch() has none before it; expected 'programmatic' "
                                 "in a later one");
    }
    return setting->shape ? read_shape(setting->shape, parse, body, setting->name, place)
                          : gt_read_integer_expression(setting->value, parse, body, USE_PLAN);
}

static gputune_status read_setting(gt_template_step *step, gt_parse *parse, gt_lexer *body)
{
    const settings to = settings_of(parse->parts, step);
    const setting known[] = {{"block", NULL, to.block},
                             {"grid", NULL, to.grid},
                             {"shared", to.shared, NULL},
                             {"cluster", NULL, to.cluster},
                             {"cooperative", to.cooperative, NULL},
                             {"times", &step->times, NULL},
                             {"programmatic", &step->programmatic, NULL}};
    enum { KNOWN = sizeof known / sizeof *known };
    const char *names[KNOWN + 1] = {[KNOWN] = "args"};
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_name_read(name, sizeof name, body, "a setting such as block = 256"));
    GT_TRY(gt_lexer_expect(body, "="));
    for (int i = 0; i < KNOWN; i++) {
        names[i] = known[i].name;
        if (strcmp(name, names[i]) == 0) {
            return read_value(&known[i], step, parse, body, place);
        }
    }
    if (strcmp(name, "args") == 0) {
        return step->argument_count ? gt_fail_at(place, "'args' given twice; expected it once")
                                    : read_arguments(step, parse, body);
    }
    const char *nearest = gt_nearest(name, names, KNOWN + 1);
    return gt_fail_at(place, "unknown setting '%s'; expected '%s'", name,
                      nearest ? nearest : names[0]);
}

gputune_status gt_parse_launch(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    if (parts->step_count == GT_STEPS_MAX) {
        return gt_fail_at(clause->place, "more than %d launch(); expected fewer", GT_STEPS_MAX);
    }
    gt_template_step *step = &parts->steps[parts->step_count++];
    GT_TRY(gt_read_kernel_name(&step->kernel, body, "a __global__ function's name"));
    step->kernel.place = clause->place;
    while (gt_lexer_accept(body, ",")) {
        GT_TRY(read_setting(step, parse, body));
    }
    if (body->token.kind != GT_TOKEN_END) {
        return gt_fail_expected(body, "',' or ')'");
    }
    const settings to = settings_of(parts, step);
    if (!to.block->count || !to.grid->count) {
        return gt_fail_at(clause->place,
                          "launch(%s) without %s; expected launch(%s, block = 256, "
                          "grid = ceil_div(n, 256))",
                          step->kernel.name, to.block->count ? "grid" : "block", step->kernel.name);
    }
    return step->argument_count ? GPUTUNE_OK : take_all(step, parse);
}
