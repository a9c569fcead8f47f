/* The pragma texture. */
#include "kernel/parse.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"
#include "kernel/texture.h"
#include "kernel/types.h"

#include <string.h>

enum { FILTER, ADDRESS, COORDINATES, READ, MEMORY, WIDTH, SETTINGS };

/* The settings that are words: the index of the word is the member's value. */
static const struct word_setting {
    size_t member;
    const char *words[4], *expected;
} word_settings[WIDTH] = {
    [FILTER] = {offsetof(gt_texture_clause, filter), {"point", "linear"}, "point or linear"},
    [ADDRESS] = {offsetof(gt_texture_clause, address),
                 {"wrap", "clamp", "mirror", "border"},
                 "clamp, border, wrap or mirror"},
    [COORDINATES] = {offsetof(gt_texture_clause, normalized_coordinates),
                     {"unnormalized", "normalized"},
                     "unnormalized or normalized"},
    [READ] = {offsetof(gt_texture_clause, normalized_read),
              {"element", "normalized"},
              "element or normalized"},
    [MEMORY] = {offsetof(gt_texture_clause, memory),
                {"buffer", "array", "layered"},
                "buffer, array or layered"}};

static gputune_status read_word(gt_texture_clause *texture, gt_lexer *body,
                                const struct word_setting *setting)
{
    for (uint32_t i = 0; i < 4 && setting->words[i]; i++) {
        if (gt_lexer_accept(body, setting->words[i])) {
            memcpy((char *)texture + setting->member, &i, sizeof i);
            return GPUTUNE_OK;
        }
    }
    return gt_fail_expected(body, setting->expected);
}

static gputune_status read_setting(gt_texture_clause *texture, uint32_t *given, gt_parse *parse,
                                   gt_lexer *body)
{
    static const char *const names[SETTINGS] = {"filter", "address", "coordinates",
                                                "read",   "memory",  "width"};
    uint32_t which;
    GT_TRY(gt_setting_name_read(&which, *given, body, names, SETTINGS,
                                "a setting such as filter = linear"));
    *given |= 1u << which;
    return which == WIDTH ? gt_read_integer_expression(&texture->width, parse, body, GT_USE_PROBLEM)
                          : read_word(texture, body, &word_settings[which]);
}

static gputune_status read_name(gt_texture_clause *texture, const gt_parse *parse, gt_lexer *body)
{
    const gt_template *template = parse->template;
    GT_TRY(gt_read_taken_buffer(&texture->argument, parse, body, false, "a buffer's name"));
    const gt_argument *argument = &template->arguments[texture->argument];
    if (argument->direction != GT_IN) {
        return gt_fail_at(texture->place,
                          "'%s' is written, and textures are read alone; expected an 'in' buffer, "
                          "or the output as a pointer",
                          argument->name);
    }
    if (gt_texture_of_argument(template, texture->argument) >= 0 ||
        gt_map_of_argument(template, texture->argument) >= 0) {
        return gt_fail_at(texture->place,
                          "'%s' given twice; expected one texture() or tensormap() of it",
                          argument->name);
    }
    return GPUTUNE_OK;
}

/* What the settings demand of the buffer and of each other. */
static gputune_status check_settings(const gt_texture_clause *texture, uint32_t given,
                                     const gt_template *template)
{
    const gt_argument *argument = &template->arguments[texture->argument];
    gt_element element;
    if (texture->memory == GT_TEXTURE_BUFFER && argument->extent_count == 1 &&
        given & ~(1u << READ | 1u << MEMORY)) {
        return gt_fail_at(texture->place,
                          "'%s' has one extent, of which tex1Dfetch() reads elements as they are; "
                          "expected %s[HEIGHT][WIDTH] in args() for tex2D(), with its settings, or "
                          "memory = array for tex1D()",
                          argument->name, argument->name);
    }
    if (texture->memory == GT_TEXTURE_BUFFER && argument->extent_count == 3) {
        return gt_fail_at(texture->place,
                          "'%s' has three extents; expected memory = array, for tex3D(), or "
                          "memory = layered, for tex2DLayered()",
                          argument->name);
    }
    if (texture->memory == GT_TEXTURE_LAYERED && argument->extent_count == 1) {
        return gt_fail_at(texture->place,
                          "'%s' has one extent; expected %s[LAYERS][WIDTH] in args() for "
                          "tex1DLayered(), or %s[LAYERS][HEIGHT][WIDTH] for tex2DLayered()",
                          argument->name, argument->name, argument->name);
    }
    if (!texture->normalized_coordinates &&
        (texture->address == GT_TEXTURE_WRAP || texture->address == GT_TEXTURE_MIRROR)) {
        return gt_fail_at(texture->place,
                          "wrap and mirror need coordinates from 0 to 1; expected coordinates = "
                          "normalized beside them");
    }
    if (gt_structure_of(template, argument->type)) {
        return gt_fail_at(texture->place,
                          "elements of '%s' are structs; expected a number or a vector such as "
                          "float4",
                          argument->name);
    }
    return gt_element_from_name(&element, argument->type)
               ? gt_texture_check(texture, argument, &element)
               : GPUTUNE_OK;
}

/* texture(BUFFER[, SETTING = WORD]…[, width = e]) */
gputune_status gt_parse_texture(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    uint32_t given = 0;
    if (parts->texture_count == GT_TEXTURE_MAX) {
        return gt_fail_at(parse->clause->place, "more than %d textures; expected fewer",
                          GT_TEXTURE_MAX);
    }
    gt_texture_clause texture = {.address = GT_TEXTURE_CLAMP, .place = gt_lexer_place(body)};
    GT_TRY(read_name(&texture, parse, body));
    gt_texture_clause *kept = &parts->textures[parts->texture_count++];
    *kept = texture;
    while (gt_lexer_accept(body, ",")) {
        GT_TRY(read_setting(kept, &given, parse, body));
    }
    return body->token.kind == GT_TOKEN_END ? check_settings(kept, given, parse->template)
                                            : gt_fail_expected(body, "',' or ')'");
}
