/* The pragma tensormap. */
#include "kernel/parse.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"
#include "kernel/types.h"

#include <string.h>

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };

/* `(e, e, …)` or one expression. */
static gputune_status read_list(const gt_expression *out[GT_TENSORMAP_RANK], uint32_t *count,
                                gt_parse *parse, gt_lexer *body)
{
    gt_lexer ahead = *body;
    bool list = gt_lexer_accept(&ahead, "(");
    *body = list ? ahead : *body;
    do {
        if (*count == GT_TENSORMAP_RANK) {
            return gt_fail_at(gt_lexer_place(body), "a sixth value; expected one to five");
        }
        GT_TRY(gt_read_integer_expression(&out[*count], parse, body, USE));
        ++*count;
    } while (list && gt_lexer_accept(body, ","));
    return list ? gt_lexer_expect(body, ")") : GPUTUNE_OK;
}

/* An expression, or the word none for 0. A number alone is one of the words of `values`. */
static gputune_status read_mode(const gt_expression **out, gt_parse *parse, gt_lexer *body,
                                const char *values)
{
    gt_lexer ahead = *body;
    gt_lexer_next(&ahead);
    bool alone = body->token.kind == GT_TOKEN_NUMBER &&
                 (ahead.token.kind == GT_TOKEN_END || gt_lexer_is(&ahead, ","));
    bool known = !alone;
    for (const char *word = values; *word && !known; word += strspn(word, ", or")) {
        size_t length = strcspn(word, ", ");
        known = length == body->token.length && memcmp(word, body->token.text, length) == 0;
        word += length;
    }
    if (!known) {
        return gt_fail_expected(body, values);
    }
    return gt_lexer_accept(body, "none") ? GPUTUNE_OK
                                         : gt_read_integer_expression(out, parse, body, USE);
}

static gputune_status read_fill(gt_map *map, gt_lexer *body)
{
    map->nan_fill = gt_lexer_is(body, "nan");
    return gt_lexer_accept(body, "nan") || gt_lexer_accept(body, "zero")
               ? GPUTUNE_OK
               : gt_fail_expected(body, "fill = zero or fill = nan");
}

static gputune_status read_setting(gt_map *map, gt_parse *parse, gt_lexer *body)
{
    static const char *const names[] = {"box",        "sizes", "strides", "swizzle",
                                        "interleave", "l2",    "fill"};
    enum { COUNT = sizeof names / sizeof *names };
    const uint32_t given = (map->rank ? 1u : 0) | (map->size_count ? 2u : 0) |
                           (map->stride_count ? 4u : 0) | (map->swizzle ? 8u : 0) |
                           (map->interleave ? 16u : 0) | (map->l2 ? 32u : 0);
    uint32_t which;
    GT_TRY(gt_setting_name_read(&which, given, body, names, COUNT,
                                "a setting such as box = (64, 64)"));
    switch (which) {
    case 0:
        return read_list(map->box, &map->rank, parse, body);
    case 1:
        return read_list(map->sizes, &map->size_count, parse, body);
    case 2:
        return read_list(map->strides, &map->stride_count, parse, body);
    case 3:
        return read_mode(&map->swizzle, parse, body, "0, 32, 64 or 128");
    case 4:
        return read_mode(&map->interleave, parse, body, "0, 16 or 32");
    case 5:
        return read_mode(&map->l2, parse, body, "0, 64, 128 or 256");
    default:
        return read_fill(map, body);
    }
}

static gputune_status read_buffer(gt_map *map, gt_parse *parse, gt_lexer *body)
{
    gt_element element;
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_taken_buffer(&map->argument, parse, body, false, "a buffer's name"));
    const gt_argument *argument = &parse->template->arguments[map->argument];
    return gt_structure_of(parse->template, argument->type) ||
                   (gt_element_from_name(&element, argument->type) && element.lanes > 1)
               ? gt_fail_at(place,
                            "elements of '%s' are of several numbers; expected a number type",
                            argument->name)
               : GPUTUNE_OK;
}

/* NAME, which is a buffer's, or NAME : BUFFER. */
static gputune_status read_names(gt_map *map, gt_parse *parse, gt_lexer *body)
{
    gt_lexer buffer = *body;
    map->place = gt_lexer_place(body);
    GT_TRY(gt_name_read(map->name, sizeof map->name, body, "a buffer's name"));
    map->replaces = !gt_lexer_accept(body, ":");
    if (map->replaces) {
        GT_TRY(read_buffer(map, parse, &buffer));
        return gt_map_of_argument(parse->template, map->argument) < 0
                   ? GPUTUNE_OK
                   : gt_fail_at(map->place,
                                "'%s' given twice; expected each buffer once, or NAME : %s for one "
                                "more map",
                                map->name, map->name);
    }
    return read_buffer(map, parse, body);
}

static gputune_status check_ranks(const gt_map *map, const gt_template *template)
{
    const uint32_t extents = template->arguments[map->argument].extent_count;
    const uint32_t sizes = map->size_count ? map->size_count : extents;
    if (map->rank == 0) {
        return gt_fail_at(map->place,
                          "no box; expected box = (…) with an extent for each dimension");
    }
    if (map->rank != sizes) {
        return gt_fail_at(map->place, "a box of %u dimensions, and sizes of %u; expected as many",
                          map->rank, sizes);
    }
    if (map->stride_count > 0 && map->stride_count + 1 != map->rank) {
        return gt_fail_at(map->place,
                          "%u strides for %u dimensions; expected one for each but the last",
                          map->stride_count, map->rank);
    }
    return GPUTUNE_OK;
}

/* tensormap(NAME[ : BUFFER], box = (e, …)[, sizes = …][, strides = …][, swizzle = e]…) */
gputune_status gt_parse_tensormap(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    if (parts->map_count == GT_TENSORMAP_MAX) {
        return gt_fail_at(parse->clause->place, "more than %d tensor maps; expected fewer",
                          GT_TENSORMAP_MAX);
    }
    gt_map map = {.replaces = false};
    GT_TRY(read_names(&map, parse, body));
    gt_map *kept = &parts->maps[parts->map_count++];
    *kept = map;
    while (gt_lexer_accept(body, ",")) {
        GT_TRY(read_setting(kept, parse, body));
    }
    return body->token.kind == GT_TOKEN_END ? check_ranks(kept, parse->template)
                                            : gt_fail_expected(body, "',' or ')'");
}
