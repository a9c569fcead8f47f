/* Refuses names that stand for two things, and tunables that change nothing. */
#include "kernel/axis_kind.h"
#include "kernel/compiler_options.h"
#include "kernel/settings.h"

#include <string.h>

/* A name of the template, and what one of its texts does with it. */
typedef struct named {
    const char *name, *what;
    bool is_argument; /* of a kernel that is a C++ template */
    const gt_name_use *use;
} named;

/* Where the code has a C++ name like it, a template argument is no macro. */
static gputune_status check_argument(const named *n)
{
    if (!n->is_argument || !n->use->is_declared || n->use->tested.line == 0) {
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(n->use->parameter.line > 0, n->use->tested,
                 "'%s' is taken for a macro here, and is a template parameter on line %d, where a "
                 "macro would replace it; expected another name of the parameter",
                 n->name, n->use->parameter.line);
    return gt_fail_at(n->use->tested,
                      "'%s' is taken for a macro here, and declared elsewhere in the code; "
                      "expected another name there",
                      n->name);
}

static gputune_status check_name(const named *n)
{
    GT_TRY(check_argument(n));
    GT_REFUSE_AT(n->use->global.line > 0, n->use->global,
                 "'%s' is %s, and declared here with a value of its own; expected the declaration "
                 "left out, or another name",
                 n->name, n->what);
    return GPUTUNE_OK;
}

/* A macro would take the place of a parameter or a member. */
static gputune_status check_inner(const named *n)
{
    const gt_place *place = n->use->inner.line > 0 ? &n->use->inner : &n->use->parameter;
    return n->is_argument || place->line == 0
               ? GPUTUNE_OK
               : gt_fail_at(*place,
                            "'%s' is %s, which a macro gives its value, and declared here; "
                            "expected the declaration left out, or another name",
                            n->name, n->what);
}

static gputune_status check_uses(const gt_parse *parse, const gt_name_uses *uses)
{
    const gt_template *template = parse->template;
    const gt_body *kernel = &parse->parts->kernel_body, *judge = &parse->parts->judge_body;
    const uint64_t arguments = kernel->arguments | judge->arguments;
    for (uint32_t i = 0; i < gt_name_count(template); i++) {
        const gt_chosen_name own = gt_name_at(template, i);
        const named n = {own.name, own.is_axis ? "a tunable" : "a problem value",
                         arguments >> i & 1, &uses->names[i]};
        GT_TRY(own.is_size ? GPUTUNE_OK : check_name(&n));
        GT_TRY(own.is_axis ? check_inner(&n) : GPUTUNE_OK);
    }
    return GPUTUNE_OK;
}

gputune_status gt_names_check(const gt_parse *parse)
{
    GT_TRY(check_uses(parse, &parse->kernel_uses));
    return check_uses(parse, &parse->judge_uses);
}

/* Whether a constraint relates the axis to another one, whose values it chooses then. */
static bool constrains_another(const gt_template_parts *parts, uint32_t axis)
{
    const uint64_t own = UINT64_C(1) << axis;
    for (uint32_t i = 0; i < parts->require_count; i++) {
        uint64_t used = gt_axes_used(parts->requires[i]);
        if ((used & own) && (used & ~own)) {
            return true;
        }
    }
    return false;
}

static bool has_effect(const gt_parse *parse, uint32_t index)
{
    const gt_template_parts *parts = parse->parts;
    const gt_axis_traits *traits = gt_axis_traits_of(parse->template->axes[index].kind);
    const uint64_t bit = UINT64_C(1) << index;
    uint64_t launch =
        parts->geometry_axes | parts->kernel_body.arguments | gt_settings_axes(parts, true);
    return traits->generates || traits->at_launch || parse->kernel_uses.names[index].is_read ||
           (launch & bit) || gt_compiler_options_use(parse->template, index) ||
           constrains_another(parts, index);
}

static gputune_status check_axis(const gt_parse *parse, uint32_t index)
{
    const gt_axis *axis = &parse->template->axes[index];
    const gt_place place = axis->place;
    const gt_body *judge = &parse->parts->judge_body;
    if (has_effect(parse, index)) {
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(parse->judge_uses.names[index].is_read || (judge->arguments >> index & 1), place,
                 "only the reference reads '%s', and has the default's value; expected the kernel "
                 "or its launch to depend on it, or a problem(const %s = …)",
                 axis->name, axis->name);
    gt_near near = gt_near_to(axis->name);
    gt_near_names(&near, parse->template, parse->parts->kernel_body.text);
    return gt_fail_at(place, "neither the kernel nor its launch depends on '%s'; expected %s%s",
                      axis->name,
                      gt_near_or(&near, "its name in the code, in block(), grid() or another "
                                        "clause of the launch, or no such tunable"),
                      near.name[0] ? ", which the code has" : "");
}

gputune_status gt_axes_check(const gt_parse *parse)
{
    for (uint32_t i = 0; i < parse->template->axis_count; i++) {
        GT_TRY(check_axis(parse, i));
    }
    return GPUTUNE_OK;
}
