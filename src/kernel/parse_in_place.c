/* The pragma in_place: outputs for which a caller may pass the buffer of an input. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

static gputune_status read_buffer(uint32_t *out, gt_parse *parse, gt_lexer *body,
                                  gt_direction direction)
{
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(body);
    const char *what = direction == GT_OUT ? "out" : "in";
    GT_TRY(gt_argument_name_read(name, body, "a buffer's name"));
    int index = gt_parse_parameter_index(parse, name);
    const gt_argument *argument = &parse->template->arguments[index < 0 ? 0 : index];
    bool is_buffer = index >= 0 && (uint32_t)index < parse->template->argument_count &&
                     argument->is_buffer && argument->direction == direction;
    if (!is_buffer) {
        return gt_fail_at(place, "'%s' is no '%s' buffer of args(); expected in_place(OUT : IN)",
                          name, what);
    }
    for (uint32_t i = 0; i < parse->parts->clear_count && direction == GT_OUT; i++) {
        if (strcmp(parse->parts->clears[i], name) == 0) {
            return gt_fail_at(place,
                              "'%s' is zeroed by clear() before each launch, and an input in its "
                              "place with it; expected an output that is not cleared",
                              name);
        }
    }
    *out = (uint32_t)index;
    return GPUTUNE_OK;
}

/* Each buffer coincides with one other at most, so that one launch shows all pairs. */
static gputune_status check_once(const gt_template *template, uint32_t output, uint32_t input,
                                 gt_place place)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        bool is_taken = argument->in_place && (i == output || argument->in_place == input + 1);
        if (is_taken) {
            return gt_fail_at(place, "'%s' given twice; expected each buffer once",
                              template->arguments[i == output ? output : input].name);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_in_place(gt_parse *parse, gt_lexer *body)
{
    gt_template *template = parse->template;
    do {
        uint32_t output, input;
        gt_place place = gt_lexer_place(body);
        GT_TRY(read_buffer(&output, parse, body, GT_OUT));
        GT_TRY(gt_lexer_expect(body, ":"));
        GT_TRY(read_buffer(&input, parse, body, GT_IN));
        GT_TRY(check_once(template, output, input, place));
        template->arguments[output].in_place = input + 1;
    } while (gt_lexer_accept(body, ","));
    return GPUTUNE_OK;
}
