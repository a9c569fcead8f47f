/* The pragmas that declare names with values: problem, tune, vector, cluster and carveout; and
 * default. */
#include "kernel/axis_kind.h"
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

gputune_status gt_new_axis(uint32_t *out, gt_parse *p, gt_axis_kind kind)
{
    gt_template *template = p->template;
    uint32_t index = template->axis_count;
    gt_axis *axis = &template->axes[index];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_check_room(index, GT_AXIS_MAX, "tunables", place));
    GT_TRY(gt_read_new_name(axis->name, p, "NAME = values"));
    gt_value *values = calloc(GT_AXIS_VALUES, sizeof *values);
    GT_TRY(gt_keep(p->parts, values));
    p->parts->axis_values[index] = values;
    axis->values = values;
    axis->kind = kind;
    axis->place = place;
    template->axis_count++;
    *out = index;
    return GPUTUNE_OK;
}

/* `= v, v` */
gputune_status gt_read_axis_values(gt_parse *p, uint32_t index)
{
    gt_axis *axis = &p->template->axes[index];
    GT_TRY(gt_lexer_expect(&p->at, "="));
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_values(p->parts->axis_values[index], &axis->count, GT_AXIS_OWN_VALUES, p));
    p->parts->value_count[index] = axis->count;
    for (uint32_t i = 0; i < axis->count; i++) {
        const char *refusal = gt_axis_refuses(axis, &axis->values[i]);
        GT_REFUSE_AT(refusal, place, "%s has the value %s; expected %s", axis->name,
                     GT_TEXT_OF_VALUE(&axis->values[i]), refusal);
    }
    return GPUTUNE_OK;
}

static gputune_status read_axis(uint32_t *out, gt_parse *p, gt_axis_kind kind)
{
    GT_TRY(gt_new_axis(out, p, kind));
    return gt_read_axis_values(p, *out);
}

gputune_status gt_parse_axis(gt_parse *p)
{
    uint32_t index = 0;
    return read_axis(&index, p, gt_axis_kind_of(p->clause->word));
}

gputune_status gt_parse_vector(gt_parse *p)
{
    uint32_t index = 0;
    gt_axis_kind kind = gt_axis_kind_of(p->clause->word);
    GT_TRY(read_axis(&index, p, kind));
    GT_EXPECT(gt_lexer_is(&p->at, ":"), &p->at, gt_axis_traits_of(kind)->buffers);
    gt_lexer_next(&p->at);
    p->vector_buffers[index] = p->at;
    while (p->at.token.kind != GT_TOKEN_END) {
        gt_lexer_next(&p->at);
    }
    return GPUTUNE_OK;
}

static gputune_status read_vector_buffers(gt_parse *p, uint32_t index)
{
    gt_axis *axis = &p->template->axes[index];
    const gt_axis_traits *traits = gt_axis_traits_of(axis->kind);
    p->at = p->vector_buffers[index];
    do {
        uint32_t i;
        const gt_lexer name = p->at;
        GT_TRY(gt_read_buffer(&i, p, traits->scratch, "a buffer's name"));
        GT_REFUSE_AT(axis->buffers >> i & 1, gt_lexer_place(&name),
                     "'%.*s' given twice; expected each buffer once", (int)name.token.length,
                     name.token.text);
        axis->buffers |= UINT64_C(1) << i;
    } while (!traits->one_buffer && gt_lexer_accept(&p->at, ","));
    return gt_read_end(p);
}

gputune_status gt_parse_vector_buffers(gt_parse *p)
{
    for (uint32_t i = 0; i < p->template->axis_count; i++) {
        if (gt_axis_traits_of(p->template->axes[i].kind)->buffers) {
            GT_TRY(read_vector_buffers(p, i));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_cluster(gt_parse *p)
{
    uint32_t dimension = 0;
    do {
        uint32_t index = 0;
        GT_EXPECT(dimension != 3, &p->at, "one to three dimensions");
        GT_TRY(read_axis(&index, p, GT_AXIS_CLUSTER));
        p->template->axes[index].dimension = dimension++;
    } while (gt_lexer_accept(&p->at, ";"));
    return GPUTUNE_OK;
}

static gputune_status find_axis(uint32_t *out, gt_parse *p, const char *name, gt_place place)
{
    const gt_template *template = p->template;
    int index = gt_template_axis_index(template, name);
    if (index >= 0) {
        *out = (uint32_t)index;
        return GPUTUNE_OK;
    }
    gt_near near = gt_near_to(name);
    gt_near_items(&near, template->axes, template->axis_count);
    return gt_fail_at(place, "'%s' is not a tunable; expected %s", name,
                      gt_near_or(&near, "one that tune() or another axis declares"));
}

gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *p)
{
    gt_value value;
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(name, sizeof name, &p->at, "AXIS = value"));
    GT_TRY(find_axis(axis, p, name, place));
    GT_REFUSE_AT(*given >> *axis & 1, place, "'%s' given twice; expected each axis once", name);
    *given |= UINT64_C(1) << *axis;
    GT_TRY(gt_lexer_expect(&p->at, "="));
    place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_value(&value, p));
    gputune_status status =
        gt_axis_choice(choice, p->template, *axis, GT_TEXT_OF_VALUE(&value), false);
    return status == GPUTUNE_EINVAL ? gt_fail_at(place, "%s", gt_message()) : status;
}

gputune_status gt_parse_default(gt_parse *p)
{
    uint32_t axis = 0;
    uint8_t choice = 0;
    GT_TRY(gt_read_choice(&axis, &choice, &p->defaulted, p));
    p->template->axes[axis].default_choice = choice;
    return GPUTUNE_OK;
}

/* ---- problem values -------------------------------------------------------------------------- */

/* The values of a const or a type; the first is the default. A const with one value takes any. */
static gputune_status read_listed(gt_problem_value *value, gt_parse *p)
{
    gt_value *values = calloc(GT_AXIS_OWN_VALUES, sizeof *values);
    GT_TRY(gt_keep(p->parts, values));
    value->values = values;
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_values(values, &value->count, GT_AXIS_OWN_VALUES, p));
    for (uint32_t i = 0; i < value->count; i++) {
        GT_REFUSE_AT(!values[i].word != (value->kind == GT_PROBLEM_CONST), place,
                     "wrong kind of value for %s; expected %s", value->name,
                     value->kind == GT_PROBLEM_CONST ? "integers" : "types");
    }
    value->fallback = values[0];
    if (value->kind == GT_PROBLEM_CONST && value->count == 1) {
        value->count = 0;
    }
    return GPUTUNE_OK;
}

static gputune_status read_problem_value(gt_parse *p)
{
    gt_template *template = p->template;
    uint32_t index = template->problem_count;
    gt_problem_value *value = &template->problem[index];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_check_room(index, GT_PROBLEM_MAX, "problem values", place));
    value->kind = gt_lexer_accept(&p->at, "const")  ? GT_PROBLEM_CONST
                  : gt_lexer_accept(&p->at, "type") ? GT_PROBLEM_TYPE
                                                    : GT_PROBLEM_SIZE;
    value->place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_new_name(value->name, p, "NAME = value"));
    GT_TRY(gt_lexer_expect(&p->at, "="));
    template->problem_count++;
    if (value->kind != GT_PROBLEM_SIZE) {
        return read_listed(value, p);
    }
    place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_constant(&value->fallback.number, p));
    GT_REFUSE_AT(value->fallback.number < 0 || value->fallback.number > GT_SIZE_MAX, place,
                 "size %s is %lld; expected 0 to 2^40", value->name,
                 (long long)value->fallback.number);
    return GPUTUNE_OK;
}

gputune_status gt_parse_problem(gt_parse *p)
{
    uint32_t first = p->template->problem_count;
    do {
        if (!gt_lexer_accept(&p->at, "bucket")) {
            GT_TRY(read_problem_value(p));
            continue;
        }
        GT_TRY(gt_lexer_expect(&p->at, "="));
        GT_TRY(gt_lexer_expect(&p->at, "pow2"));
        for (uint32_t i = first; i < p->template->problem_count; i++) {
            gt_problem_value *value = &p->template->problem[i];
            value->bucket_pow2 = value->kind == GT_PROBLEM_SIZE;
        }
    } while (gt_lexer_accept(&p->at, ","));
    return GPUTUNE_OK;
}
