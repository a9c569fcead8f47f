/* The pragmas tensormap and texture: what a kernel takes in a buffer's place. */
#include "kernel/parse.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"
#include "kernel/types.h"

#include <string.h>

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };

/* `(e, e, …)` or one expression. */
static gputune_status read_list(gt_map_part *out, gt_parse *parse, gt_lexer *body)
{
    bool list = gt_lexer_accept(body, "(");
    do {
        GT_REFUSE_AT(out->count == GT_TENSORMAP_RANK, gt_lexer_place(body),
                     "a sixth value; expected one to five");
        GT_TRY(gt_read_integer_expression(&out->items[out->count], parse, body, USE));
        out->count++;
    } while (list && gt_lexer_accept(body, ","));
    return list ? gt_lexer_expect(body, ")") : GPUTUNE_OK;
}

/* An expression, or the word none for 0. A number alone is one of the words of `values`. */
static gputune_status read_mode(gt_map_part *out, gt_parse *parse, gt_lexer *body,
                                const char *values)
{
    const gt_token next = gt_lexer_peek(*body);
    bool alone = body->token.kind == GT_TOKEN_NUMBER &&
                 (next.kind == GT_TOKEN_END || gt_token_is(&next, ","));
    bool known = !alone;
    for (const char *word = values; *word && !known; word += strspn(word, ", or")) {
        size_t length = strcspn(word, ", ");
        known = length == body->token.length && memcmp(word, body->token.text, length) == 0;
        word += length;
    }
    GT_EXPECT(known, body, values);
    out->count = !gt_lexer_accept(body, "none");
    return out->count ? gt_read_integer_expression(&out->items[0], parse, body, USE) : GPUTUNE_OK;
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
    static const char *const names[GT_MAP_PARTS + 1] = {"box",        "sizes", "strides", "swizzle",
                                                        "interleave", "l2",    "fill"};
    static const char *const values[GT_MAP_PARTS] = {[GT_MAP_SWIZZLE] = "0, 32, 64 or 128",
                                                     [GT_MAP_INTERLEAVE] = "0, 16 or 32",
                                                     [GT_MAP_L2] = "0, 64, 128 or 256"};
    uint32_t which, given = 0;
    for (uint32_t i = 0; i < GT_MAP_PARTS; i++) {
        given |= (uint32_t)(map->parts[i].count > 0) << i;
    }
    GT_TRY(gt_setting_name_read(&which, given, body, names, GT_MAP_PARTS + 1,
                                "a setting such as box = (64, 64)"));
    return which == GT_MAP_PARTS ? read_fill(map, body)
           : values[which]       ? read_mode(&map->parts[which], parse, body, values[which])
                                 : read_list(&map->parts[which], parse, body);
}

static gputune_status read_buffer(gt_map *map, gt_parse *parse, gt_lexer *body)
{
    gt_element element;
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_taken_buffer(&map->argument, parse, body, false, "a buffer's name"));
    const gt_argument *argument = &parse->template->arguments[map->argument];
    GT_REFUSE_AT(gt_structure_of(parse->template, argument->type) ||
                     (gt_element_from_name(&element, argument->type) && element.lanes > 1),
                 place, "elements of '%s' are of several numbers; expected a number type",
                 argument->name);
    return GPUTUNE_OK;
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
        GT_REFUSE_AT(gt_map_of_argument(parse->template, map->argument) >= 0, map->place,
                     "'%s' given twice; expected each buffer once, or NAME : %s for one more map",
                     map->name, map->name);
        return GPUTUNE_OK;
    }
    return read_buffer(map, parse, body);
}

static gputune_status check_ranks(const gt_map *map, const gt_template *template)
{
    const uint32_t extents = template->arguments[map->argument].extent_count;
    const uint32_t rank = map->parts[GT_MAP_BOX].count, stated = map->parts[GT_MAP_SIZES].count;
    const uint32_t sizes = stated ? stated : extents, strides = map->parts[GT_MAP_STRIDES].count;
    GT_REFUSE_AT(rank == 0, map->place,
                 "no box; expected box = (…) with an extent for each dimension");
    GT_REFUSE_AT(rank != sizes, map->place,
                 "a box of %u dimensions, and sizes of %u; expected as many", rank, sizes);
    GT_REFUSE_AT(strides > 0 && strides + 1 != rank, map->place,
                 "%u strides for %u dimensions; expected one for each but the last", strides, rank);
    return GPUTUNE_OK;
}

/* tensormap(NAME[ : BUFFER], box = (e, …)[, sizes = …][, strides = …][, swizzle = e]…) */
gputune_status gt_parse_tensormap(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    GT_TRY(gt_check_room(parts->map_count, GT_TENSORMAP_MAX, "tensor maps", parse->clause->place));
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

/* ---- textures -------------------------------------------------------------------------------- */

enum { FILTER, ADDRESS, COORDINATES, READ, MEMORY, WIDTH, SETTINGS };

/* The settings that are words: the index of the word is the member's value. */
static const struct word_setting {
    size_t member;
    const char *words, *expected;
} word_settings[WIDTH] = {
    [FILTER] = {offsetof(gt_texture_clause, filter), "point linear", "point or linear"},
    [ADDRESS] = {offsetof(gt_texture_clause, address), "wrap clamp mirror border",
                 "clamp, border, wrap or mirror"},
    [COORDINATES] = {offsetof(gt_texture_clause, normalized_coordinates), "unnormalized normalized",
                     "unnormalized or normalized"},
    [READ] = {offsetof(gt_texture_clause, normalized_read), "element normalized",
              "element or normalized"},
    [MEMORY] = {offsetof(gt_texture_clause, memory), "buffer array layered",
                "buffer, array or layered"}};

static gputune_status read_word(gt_texture_clause *texture, gt_lexer *body,
                                const struct word_setting *setting)
{
    const int word = gt_lexer_accept_any(body, setting->words);
    GT_EXPECT(word >= 0, body, setting->expected);
    *(uint32_t *)(void *)((char *)texture + setting->member) = (uint32_t)word;
    return GPUTUNE_OK;
}

static gputune_status read_texture_setting(gt_texture_clause *texture, uint32_t *given,
                                           gt_parse *parse, gt_lexer *body)
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
    GT_REFUSE_AT(argument->direction != GT_IN, texture->place,
                 "'%s' is written, and textures are read alone; expected an 'in' buffer, or the "
                 "output as a pointer",
                 argument->name);
    GT_REFUSE_AT(gt_texture_of_argument(template, texture->argument) >= 0 ||
                     gt_map_of_argument(template, texture->argument) >= 0,
                 texture->place, "'%s' given twice; expected one texture() or tensormap() of it",
                 argument->name);
    return GPUTUNE_OK;
}

/* What the settings demand of the buffer and of each other. */
static gputune_status check_settings(const gt_texture_clause *texture, uint32_t given,
                                     const gt_template *template)
{
    const gt_argument *argument = &template->arguments[texture->argument];
    gt_element element;
    GT_REFUSE_AT(
        texture->memory == GT_TEXTURE_BUFFER && argument->extent_count == 1 &&
            given & ~(1u << READ | 1u << MEMORY),
        texture->place,
        "'%s' has one extent, of which tex1Dfetch() reads elements as they are; expected "
        "%s[HEIGHT][WIDTH] in args() for tex2D(), with its settings, or memory = array for tex1D()",
        argument->name, argument->name);
    GT_REFUSE_AT(texture->memory == GT_TEXTURE_BUFFER && argument->extent_count == 3,
                 texture->place,
                 "'%s' has three extents; expected memory = array, for tex3D(), or memory = "
                 "layered, for tex2DLayered()",
                 argument->name);
    GT_REFUSE_AT(texture->memory == GT_TEXTURE_LAYERED && argument->extent_count == 1,
                 texture->place,
                 "'%s' has one extent; expected %s[LAYERS][WIDTH] in args() for tex1DLayered(), or "
                 "%s[LAYERS][HEIGHT][WIDTH] for tex2DLayered()",
                 argument->name, argument->name, argument->name);
    GT_REFUSE_AT(!texture->normalized_coordinates &&
                     (texture->address == GT_TEXTURE_WRAP || texture->address == GT_TEXTURE_MIRROR),
                 texture->place,
                 "wrap and mirror need coordinates from 0 to 1; expected coordinates = normalized "
                 "beside them");
    GT_REFUSE_AT(gt_structure_of(template, argument->type), texture->place,
                 "elements of '%s' are structs; expected a number or a vector such as float4",
                 argument->name);
    return gt_element_from_name(&element, argument->type)
               ? gt_texture_check(texture, argument, &element)
               : GPUTUNE_OK;
}

/* texture(BUFFER[, SETTING = WORD]…[, width = e]) */
gputune_status gt_parse_texture(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    uint32_t given = 0;
    GT_TRY(gt_check_room(parts->texture_count, GT_TEXTURE_MAX, "textures", parse->clause->place));
    gt_texture_clause texture = {.address = GT_TEXTURE_CLAMP, .place = gt_lexer_place(body)};
    GT_TRY(read_name(&texture, parse, body));
    gt_texture_clause *kept = &parts->textures[parts->texture_count++];
    *kept = texture;
    while (gt_lexer_accept(body, ",")) {
        GT_TRY(read_texture_setting(kept, &given, parse, body));
    }
    return body->token.kind == GT_TOKEN_END ? check_settings(kept, given, parse->template)
                                            : gt_fail_expected(body, "',' or ')'");
}
