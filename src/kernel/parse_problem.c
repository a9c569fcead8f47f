/* The pragma problem. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

static gputune_status read_size(gt_problem_value *value, gt_parse *parse, gt_lexer *body)
{
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_constant(&value->fallback.number, parse, body));
    if (value->fallback.number < 0 || value->fallback.number > GT_SIZE_MAX) {
        return gt_fail_at(place, "size %s is %lld; expected 0 to 2^40", value->name,
                          (long long)value->fallback.number);
    }
    return GPUTUNE_OK;
}

/* The values of a const or a type; the first is the default. A const with one value takes any. */
static gputune_status read_listed(gt_problem_value *value, gt_parse *parse, gt_lexer *body)
{
    gt_value *values = calloc(GT_AXIS_OWN_VALUES, sizeof *values);
    GT_TRY(gt_keep(parse->parts, values));
    value->values = values;
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_values(values, &value->count, GT_AXIS_OWN_VALUES, parse, body));
    for (uint32_t i = 0; i < value->count; i++) {
        if (!values[i].word != (value->kind == GT_PROBLEM_CONST)) {
            return gt_fail_at(place, "wrong kind of value for %s; expected %s", value->name,
                              value->kind == GT_PROBLEM_CONST ? "integers" : "types");
        }
    }
    value->fallback = values[0];
    if (value->kind == GT_PROBLEM_CONST && value->count == 1) {
        value->count = 0;
    }
    return GPUTUNE_OK;
}

static gputune_status read_problem_value(gt_parse *parse, gt_lexer *body)
{
    gt_template *template = parse->template;
    uint32_t index = template->problem_count;
    gt_problem_value *value = &template->problem[index];
    gt_place place = gt_lexer_place(body);
    if (index == GT_PROBLEM_MAX) {
        return gt_fail_at(place, "more than %d problem values; expected fewer", GT_PROBLEM_MAX);
    }
    value->kind = gt_lexer_accept(body, "const")  ? GT_PROBLEM_CONST
                  : gt_lexer_accept(body, "type") ? GT_PROBLEM_TYPE
                                                  : GT_PROBLEM_SIZE;
    parse->problem_places[index] = gt_lexer_place(body);
    GT_TRY(gt_read_new_name(value->name, parse, body, "NAME = value"));
    GT_TRY(gt_lexer_expect(body, "="));
    template->problem_count++;
    return value->kind == GT_PROBLEM_SIZE ? read_size(value, parse, body)
                                          : read_listed(value, parse, body);
}

static gputune_status read_bucket(gt_parse *parse, gt_lexer *body, uint32_t first)
{
    gt_lexer_next(body);
    GT_TRY(gt_lexer_expect(body, "="));
    GT_TRY(gt_lexer_expect(body, "pow2"));
    for (uint32_t i = first; i < parse->template->problem_count; i++) {
        gt_problem_value *value = &parse->template->problem[i];
        value->bucket_pow2 = value->kind == GT_PROBLEM_SIZE;
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_problem(gt_parse *parse, gt_lexer *body)
{
    uint32_t first = parse->template->problem_count;
    do {
        if (gt_lexer_is(body, "bucket")) {
            GT_TRY(read_bucket(parse, body, first));
        } else {
            GT_TRY(read_problem_value(parse, body));
        }
    } while (gt_lexer_accept(body, ","));
    return GPUTUNE_OK;
}
