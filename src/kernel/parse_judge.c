/* The pragmas work, reference and check. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

/* A `NAME = …` inside a clause: dimensions, or one real expression. */
typedef struct setting {
    const char *name;
    gt_dimensions *dimensions;
    gt_expression **real;
} setting;

static gputune_status read_setting(const setting *settings, size_t count, gt_parse *parse,
                                   gt_lexer *body)
{
    const char *names[8];
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_name_read(name, sizeof name, body, "a setting such as block = 256"));
    for (size_t i = 0; i < count; i++) {
        names[i] = settings[i].name;
        if (strcmp(names[i], name) != 0) {
            continue;
        }
        GT_TRY(gt_lexer_expect(body, "="));
        if (settings[i].dimensions && settings[i].dimensions->count > 0) {
            return gt_fail_at(place, "'%s' given twice; expected it once", name);
        }
        return settings[i].dimensions
                   ? gt_read_dimensions(settings[i].dimensions, parse, body, GT_USE_PROBLEM)
                   : gt_read_real_expression(settings[i].real, parse, body, GT_USE_PROBLEM);
    }
    const char *nearest = gt_nearest(name, names, count);
    return gt_fail_at(place, "unknown setting '%s'; expected '%s'", name,
                      nearest ? nearest : names[0]);
}

static gputune_status read_settings(const setting *settings, size_t count, gt_parse *parse,
                                    gt_lexer *body)
{
    do {
        GT_TRY(read_setting(settings, count, parse, body));
    } while (gt_lexer_accept(body, ","));
    return GPUTUNE_OK;
}

gputune_status gt_parse_work(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    const setting settings[] = {{"bytes", NULL, &parse->parts->work_bytes},
                                {"flops", NULL, &parse->parts->work_flops}};
    (void)clause;
    return read_settings(settings, 2, parse, body);
}

static gputune_status read_judge(gt_judge *judge, size_t settings_count, gt_parse *parse,
                                 const gt_clause *clause, gt_lexer *body)
{
    const setting settings[] = {{"block", &judge->block, NULL},
                                {"grid", &judge->grid, NULL},
                                {"rtol", NULL, &judge->rtol},
                                {"atol", NULL, &judge->atol},
                                {"stol", NULL, &judge->stol}};
    judge->present = true;
    judge->place = clause->place;
    GT_TRY(gt_name_read(judge->name, sizeof judge->name, body, "a __global__ function's name"));
    return gt_lexer_accept(body, ",") ? read_settings(settings, settings_count, parse, body)
                                      : GPUTUNE_OK;
}

gputune_status gt_parse_reference(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    return read_judge(&parse->parts->reference, 5, parse, clause, body);
}

gputune_status gt_parse_check(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    return read_judge(&parse->parts->check, 2, parse, clause, body);
}
