/* The pragmas work, reference, check, init and expect. */
#include "kernel/axis_kind.h"
#include "kernel/types.h"

#include <string.h>

#define SETTING(member, most, real)                                                                \
    {                                                                                              \
#member, offsetof(gt_judge, member), most, 0, GT_USE_PROBLEM, false, real                  \
    }
static const gt_setting of_judge[] = {SETTING(block, 3, false), SETTING(grid, 3, false),
                                      SETTING(rtol, 1, true), SETTING(atol, 1, true),
                                      SETTING(stol, 1, true)};
static const gt_setting *const tolerances = of_judge + 2;
enum { SHAPES = 2, TOLERANCES = 3 };

static gputune_status read_settings(void *to, const gt_setting *settings, uint32_t count,
                                    gt_parse *p)
{
    do {
        GT_TRY(gt_read_setting(to, settings, count, p));
    } while (gt_lexer_accept(&p->at, ","));
    return GPUTUNE_OK;
}

/* The first axis of the mask, whose lowest bit is axis 0. */
static const gt_axis *first_axis(const gt_template *template, uint64_t axes)
{
    return &template->axes[__builtin_ctzll(axes)];
}

/* A plan may launch a narrower vector or another way to pass in place of the winner's. */
static gputune_status check_work_axes(const gt_template *template, const gt_expression *measure)
{
    uint64_t interchangeable = 0;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis_traits *traits = gt_axis_traits_of(template->axes[i].kind);
        interchangeable |= traits->aligned || traits->generates ? UINT64_C(1) << i : 0;
    }
    interchangeable &= gt_axes_used(measure);
    GT_REFUSE_AT(interchangeable, measure->place,
                 "the work depends on '%s', of which a plan may launch another value; expected a "
                 "tune or cluster axis",
                 first_axis(template, interchangeable)->name);
    return GPUTUNE_OK;
}

gputune_status gt_parse_work(gt_parse *p)
{
    gt_template *template = p->template;
    const gt_template_parts *parts = p->parts;
    enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };
    static const gt_setting settings[] = {
        {"bytes", offsetof(gt_template_parts, work_bytes), 1, 0, USE, false, true},
        {"flops", offsetof(gt_template_parts, work_flops), 1, 0, USE, false, true}};
    GT_TRY(read_settings(p->parts, settings, 2, p));
    const gt_expression *measure = gt_work_measure(template);
    template->work = (gt_work){true, gt_axes_used(measure), p->clause->place};
    GT_REFUSE_AT(!template->work.axes && gt_axes_used(parts->work_bytes), parts->work_bytes->place,
                 "the bytes depend on '%s' and the flops, which count as the work, on no axis; "
                 "expected flops that say how much more such a launch does",
                 first_axis(template, gt_axes_used(parts->work_bytes))->name);
    return check_work_axes(template, measure);
}

static gputune_status read_judge(gt_judge *judge, uint32_t settings_count, gt_parse *p)
{
    judge->present = true;
    GT_TRY(gt_read_kernel_name(&judge->kernel, &p->at, "a __global__ function's name"));
    judge->kernel.place = p->clause->place;
    return gt_lexer_accept(&p->at, ",") ? read_settings(judge, of_judge, settings_count, p)
                                        : GPUTUNE_OK;
}

/* reference(self, AXIS = value, …, rtol = e): behind `self`. */
static gputune_status read_self(gt_judge *judge, gt_parse *p)
{
    while (gt_lexer_accept(&p->at, ",")) {
        uint32_t axis = 0;
        uint8_t choice = 0;
        if (gt_token_is_any(&p->at.token, "rtol atol stol")) {
            GT_TRY(gt_read_setting(judge, tolerances, TOLERANCES, p));
        } else {
            GT_TRY(gt_read_choice(&axis, &choice, &judge->chosen, p));
            judge->choices[axis] = choice;
        }
    }
    return GPUTUNE_OK;
}

/* reference(y[i] = x[i], …, rtol = e) */
static gputune_status read_by_elements(gt_judge *judge, gt_parse *p)
{
    p->at.form = "reference(y[i] = a * x[i] + y[i], rtol = 1e-5)";
    judge->present = true;
    judge->kernel.place = p->clause->place;
    memcpy(judge->kernel.name, GT_ELEMENTS_REFERENCE, sizeof GT_ELEMENTS_REFERENCE);
    GT_TRY(gt_read_elements(p));
    return p->at.token.kind == GT_TOKEN_END ? GPUTUNE_OK
                                            : read_settings(judge, tolerances, TOLERANCES, p);
}

gputune_status gt_parse_reference(gt_parse *p)
{
    gt_judge *judge = &p->parts->reference;
    judge->self = gt_lexer_accept(&p->at, "self");
    if (judge->self) {
        p->at.form = "reference(self, AXIS = value, rtol = 1e-5)";
        judge->kernel.place = p->clause->place;
        return read_self(judge, p);
    }
    const gt_token next = gt_lexer_peek(p->at);
    return gt_elements_follow(&p->at) || gt_token_is(&next, "=")
               ? read_by_elements(judge, p)
               : read_judge(judge, SHAPES + TOLERANCES, p);
}

gputune_status gt_parse_check(gt_parse *p)
{
    return read_judge(&p->parts->check, SHAPES, p);
}

gputune_status gt_parse_init(gt_parse *p)
{
    return read_judge(&p->parts->init, SHAPES, p);
}

static gputune_status read_expected(gt_parse *p)
{
    char name[GT_NAME_MAX];
    gt_argument *found = NULL;
    if (gt_token_is_any(&p->at.token, "rtol atol stol")) {
        return gt_read_setting(&p->parts->reference, tolerances, TOLERANCES, p);
    }
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_argument_name_read(name, &p->at, "an output's name, as in y = file(\"y.npy\")"));
    gt_near near = gt_near_to(name);
    for (uint32_t i = 0; i < p->template->argument_count; i++) {
        gt_argument *argument = &p->template->arguments[i];
        const bool is_output = argument->direction != GT_IN;
        found = is_output && strcmp(argument->name, name) == 0 ? argument : found;
        gt_near_try(&near, is_output ? argument->name : "");
    }
    GT_REFUSE_AT(!found, place, "no output '%s'; expected %s, rtol, atol or stol", name,
                 gt_near_or(&near, "an out or inout buffer"));
    GT_TRY(gt_lexer_expect(&p->at, "="));
    GT_REFUSE_AT(found->expected, place, "'%s' given twice; expected each output once", name);
    return gt_read_file_name(&found->expected, p);
}

gputune_status gt_parse_expect(gt_parse *p)
{
    const gt_template *template = p->template;
    const gt_judge *reference = &p->parts->reference;
    GT_REFUSE_AT(
        reference->present || reference->self || p->parts->check.present, p->clause->place,
        "expect() beside reference() or check(); expected one of them, as each says what is right");
    p->parts->reference.kernel.place = p->clause->place;
    do {
        GT_TRY(read_expected(p));
    } while (gt_lexer_accept(&p->at, ","));
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        GT_REFUSE_AT(argument->direction != GT_IN && !argument->expected, p->clause->place,
                     "no expected results of '%s'; expected '%s = file(\"name.npy\")', because "
                     "every output is compared",
                     argument->name, argument->name);
    }
    p->parts->expects = true;
    return GPUTUNE_OK;
}
