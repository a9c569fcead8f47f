/* The pragmas tensormap and texture: what a kernel takes in a buffer's place. */
#include "kernel/parse.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"
#include "kernel/types.h"

#include <string.h>

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };

/* `(e, e, …)` or one expression. */
static gputune_status read_list(gt_map_part *out, gt_parse *p)
{
    bool list = gt_lexer_accept(&p->at, "(");
    do {
        GT_REFUSE_AT(out->count == GT_TENSORMAP_RANK, gt_lexer_place(&p->at),
                     "a sixth value; expected one to five");
        GT_TRY(gt_read_integer_expression(&out->items[out->count], p, USE));
        out->count++;
    } while (list && gt_lexer_accept(&p->at, ","));
    return list ? gt_lexer_expect(&p->at, ")") : GPUTUNE_OK;
}

/* An expression, or the word none for 0. A number alone is one of `words`. */
static gputune_status read_mode(gt_map_part *out, gt_parse *p, const char *words,
                                const char *expected)
{
    const gt_token next = gt_lexer_peek(p->at);
    bool alone = p->at.token.kind == GT_TOKEN_NUMBER &&
                 (next.kind == GT_TOKEN_END || gt_token_is(&next, ","));
    GT_EXPECT(!alone || gt_token_is_any(&p->at.token, words), &p->at, expected);
    out->count = !gt_lexer_accept(&p->at, "none");
    return out->count ? gt_read_integer_expression(&out->items[0], p, USE) : GPUTUNE_OK;
}

static gputune_status read_fill(gt_map *map, gt_parse *p)
{
    map->nan_fill = gt_lexer_is(&p->at, "nan");
    GT_EXPECT(gt_lexer_accept_any(&p->at, "nan zero") >= 0, &p->at, "fill = zero or fill = nan");
    return GPUTUNE_OK;
}

static gputune_status read_setting(gt_map *map, gt_parse *p)
{
    static const struct {
        const char *name, *words, *expected; /* words: a mode's values */
    } settings[GT_MAP_PARTS + 1] = {{.name = "box"},
                                    {.name = "sizes"},
                                    {.name = "strides"},
                                    {"swizzle", "0 32 64 128", "0, 32, 64 or 128"},
                                    {"interleave", "0 16 32", "0, 16 or 32"},
                                    {"l2", "0 64 128 256", "0, 64, 128 or 256"},
                                    {.name = "fill"}};
    uint32_t which, given = 0;
    for (uint32_t i = 0; i < GT_MAP_PARTS; i++) {
        given |= (uint32_t)(map->parts[i].count > 0) << i;
    }
    GT_TRY(gt_setting_name_read(&which, given, &p->at, settings, GT_MAP_PARTS + 1,
                                "a setting such as box = (64, 64)"));
    return which == GT_MAP_PARTS ? read_fill(map, p)
           : settings[which].words
               ? read_mode(&map->parts[which], p, settings[which].words, settings[which].expected)
               : read_list(&map->parts[which], p);
}

/* NAME, which is a buffer's, or NAME : BUFFER. */
static gputune_status read_names(gt_map *map, gt_parse *p)
{
    gt_element element;
    const gt_lexer buffer = p->at;
    map->place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(map->name, sizeof map->name, &p->at, "a buffer's name"));
    map->replaces = !gt_lexer_accept(&p->at, ":");
    p->at = map->replaces ? buffer : p->at;
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_taken_buffer(&map->argument, p, false, "a buffer's name"));
    const gt_argument *argument = &p->template->arguments[map->argument];
    GT_REFUSE_AT(gt_structure_of(p->template, argument->type) ||
                     (gt_element_from_name(&element, argument->type) && element.lanes > 1),
                 place, "elements of '%s' are of several numbers; expected a number type",
                 argument->name);
    GT_REFUSE_AT(map->replaces && argument->map, map->place,
                 "'%s' given twice; expected each buffer once, or NAME : %s for one more map",
                 map->name, map->name);
    return GPUTUNE_OK;
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
gputune_status gt_parse_tensormap(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->map_count, GT_TENSORMAP_MAX, "tensor maps", p->clause->place));
    gt_map map = {.replaces = false};
    GT_TRY(read_names(&map, p));
    gt_map *kept = &parts->maps[parts->map_count++];
    *kept = map;
    if (map.replaces) {
        p->template->arguments[map.argument].map = kept;
    }
    while (gt_lexer_accept(&p->at, ",")) {
        GT_TRY(read_setting(kept, p));
    }
    GT_TRY(gt_read_end(p));
    return check_ranks(kept, p->template);
}

/* ---- textures -------------------------------------------------------------------------------- */

enum { FILTER, ADDRESS, COORDINATES, READ, MEMORY, WIDTH, SETTINGS };

/* The settings; of those that are words the word's index is the member's value. */
static const struct texture_setting {
    const char *name;
    size_t member;
    const char *words, *expected;
} texture_settings[SETTINGS] = {
    [FILTER] = {"filter", offsetof(gt_texture_clause, filter), "point linear", "point or linear"},
    [ADDRESS] = {"address", offsetof(gt_texture_clause, address), "wrap clamp mirror border",
                 "clamp, border, wrap or mirror"},
    [COORDINATES] = {"coordinates", offsetof(gt_texture_clause, normalized_coordinates),
                     "unnormalized normalized", "unnormalized or normalized"},
    [READ] = {"read", offsetof(gt_texture_clause, normalized_read), "element normalized",
              "element or normalized"},
    [MEMORY] = {"memory", offsetof(gt_texture_clause, memory), "buffer array layered",
                "buffer, array or layered"},
    [WIDTH] = {.name = "width"}};

static gputune_status read_texture_setting(gt_texture_clause *texture, uint32_t *given, gt_parse *p)
{
    uint32_t which;
    GT_TRY(gt_setting_name_read(&which, *given, &p->at, texture_settings, SETTINGS,
                                "a setting such as filter = linear"));
    *given |= 1u << which;
    if (which == WIDTH) {
        return gt_read_integer_expression(&texture->width, p, GT_USE_PROBLEM);
    }
    const struct texture_setting *setting = &texture_settings[which];
    const int word = gt_lexer_accept_any(&p->at, setting->words);
    GT_EXPECT(word >= 0, &p->at, setting->expected);
    *(uint32_t *)(void *)((char *)texture + setting->member) = (uint32_t)word;
    return GPUTUNE_OK;
}

static gputune_status read_name(gt_texture_clause *texture, gt_parse *p)
{
    const gt_template *template = p->template;
    GT_TRY(gt_read_taken_buffer(&texture->argument, p, false, "a buffer's name"));
    const gt_argument *argument = &template->arguments[texture->argument];
    GT_REFUSE_AT(argument->direction != GT_IN, texture->place,
                 "'%s' is written, and textures are read alone; expected an 'in' buffer, or the "
                 "output as a pointer",
                 argument->name);
    GT_REFUSE_AT(argument->texture || argument->map, texture->place,
                 "'%s' given twice; expected one texture() or tensormap() of it", argument->name);
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
gputune_status gt_parse_texture(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    uint32_t given = 0;
    GT_TRY(gt_check_room(parts->texture_count, GT_TEXTURE_MAX, "textures", p->clause->place));
    gt_texture_clause texture = {.address = GT_TEXTURE_CLAMP, .place = gt_lexer_place(&p->at)};
    GT_TRY(read_name(&texture, p));
    gt_texture_clause *kept = &parts->textures[parts->texture_count++];
    *kept = texture;
    p->template->arguments[texture.argument].texture = kept;
    while (gt_lexer_accept(&p->at, ",")) {
        GT_TRY(read_texture_setting(kept, &given, p));
    }
    GT_TRY(gt_read_end(p));
    return check_settings(kept, given, p->template);
}
