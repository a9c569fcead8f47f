/* Parses tensormap() and texture(), which replace a buffer in the parameters of the kernel. */
#include "kernel/template/parse.h"
#include "kernel/template/structure.h"

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };

static const gt_setting of_map[] = {
    {"box", offsetof(gt_map, box), GT_TENSORMAP_RANK, .launch_use = USE},
    {"sizes", offsetof(gt_map, sizes), GT_TENSORMAP_RANK, .launch_use = USE},
    {"strides", offsetof(gt_map, strides), GT_TENSORMAP_RANK, .launch_use = USE},
    {"swizzle", offsetof(gt_map, swizzle), 1, 0, USE, .words = "0 32 64 128",
     .expected = "0, 32, 64 or 128"},
    {"interleave", offsetof(gt_map, interleave), 1, 0, USE, .words = "0 16 32",
     .expected = "0, 16 or 32"},
    {"l2", offsetof(gt_map, l2), 1, 0, USE, .words = "0 64 128 256",
     .expected = "0, 64, 128 or 256"},
    {"fill", offsetof(gt_map, nan_fill), .words = "zero nan",
     .expected = "fill = zero or fill = nan"},
};
static const gt_settings map_settings = {of_map, sizeof of_map / sizeof *of_map,
                                         "a setting such as box = (64, 64)"};

static gputune_status read_names(gt_map *map, gt_parse *p)
{
    gt_element element;
    const gt_lexer buffer = p->at;
    map->place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(map->name, sizeof map->name, &p->at, "a buffer's name"));
    map->replaces = !gt_lexer_accept(&p->at, ":");
    p->at = map->replaces ? buffer : p->at;
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_buffer(&map->argument, p, GT_BUFFER_ANY | GT_BUFFER_TAKEN, "a buffer's name",
                          "a buffer; expected one of args()"));
    const gt_argument *argument = &p->template->arguments[map->argument];
    GT_REFUSE_AT(gt_structure_of(p->template, argument->type) ||
                     (gt_element_from_name(&element, argument->type) && element.lanes > 1),
                 place, "elements of '%s' have several numbers; expected a number type",
                 argument->name);
    GT_REFUSE_AT(map->replaces && argument->map, map->place,
                 "'%s' is given twice; expected each buffer once, or NAME : %s for one more map",
                 map->name, map->name);
    return GPUTUNE_OK;
}

static gputune_status check_ranks(const gt_map *map, const gt_template *template)
{
    const uint32_t extents = template->arguments[map->argument].extent_count;
    const uint32_t rank = map->box.count, strides = map->strides.count;
    const uint32_t sizes = map->sizes.count ? map->sizes.count : extents;
    GT_REFUSE_AT(rank == 0, map->place,
                 "the tensor map has no box; expected box = (…) with an extent "
                 "for each dimension");
    GT_REFUSE_AT(rank != sizes, map->place,
                 "the box has %u dimensions, but the tensor %u; expected equal numbers", rank,
                 sizes);
    GT_REFUSE_AT(strides > 0 && strides + 1 != rank, map->place,
                 "%u strides for %u dimensions; expected one for each but the last", strides, rank);
    return GPUTUNE_OK;
}

/* Reads tensormap(NAME[ : BUFFER], box = (e, …)[, sizes = …][, strides = …][, swizzle = e]…). */
gputune_status gt_parse_tensormap(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    uint32_t given = 0;
    GT_TRY(gt_check_room(parts->map_count, GT_TENSORMAP_MAX, "tensor maps", p->clause->place));
    gt_map map = {.replaces = false};
    GT_TRY(read_names(&map, p));
    gt_map *kept = &parts->maps[parts->map_count++];
    *kept = map;
    if (map.replaces) {
        p->template->arguments[map.argument].map = kept;
    } else {
        parts->added_maps++;
    }
    while (gt_lexer_accept(&p->at, ",")) {
        GT_TRY(gt_read_setting(kept, &map_settings, &given, p));
    }
    GT_TRY(gt_read_end(p));
    return check_ranks(kept, p->template);
}

enum { FILTER, ADDRESS, COORDINATES, READ, MEMORY, WIDTH, SETTINGS };

static const gt_setting of_texture[SETTINGS] = {
    [FILTER] = {"filter", offsetof(gt_texture_clause, filter), .words = "point linear",
                .expected = "point or linear"},
    [ADDRESS] = {"address", offsetof(gt_texture_clause, address),
                 .words = "wrap clamp mirror border", .expected = "clamp, border, wrap or mirror"},
    [COORDINATES] = {"coordinates", offsetof(gt_texture_clause, normalized_coordinates),
                     .words = "unnormalized normalized", .expected = "unnormalized or normalized"},
    [READ] = {"read", offsetof(gt_texture_clause, normalized_read), .words = "element normalized",
              .expected = "element or normalized"},
    [MEMORY] = {"memory", offsetof(gt_texture_clause, memory), .words = "buffer array layered",
                .expected = "buffer, array or layered"},
    [WIDTH] = {"width", offsetof(gt_texture_clause, width), 1, 0, GT_USE_PROBLEM}};
static const gt_settings texture_settings = {of_texture, SETTINGS,
                                             "a setting such as filter = linear"};

static gputune_status read_name(gt_texture_clause *texture, gt_parse *p)
{
    const gt_template *template = p->template;
    GT_TRY(gt_read_buffer(&texture->argument, p, 1 << GT_IN | GT_BUFFER_TAKEN, "a buffer's name",
                          "a buffer that is only read; expected an 'in' buffer of args(), or the "
                          "output as a pointer"));
    const gt_argument *argument = &template->arguments[texture->argument];
    GT_REFUSE_AT(argument->texture || argument->map, texture->place,
                 "'%s' is given twice; expected one texture() or tensormap() of it",
                 argument->name);
    return GPUTUNE_OK;
}

static gputune_status check_settings(const gt_texture_clause *texture, uint32_t given,
                                     const gt_template *template)
{
    const gt_argument *argument = &template->arguments[texture->argument];
    GT_REFUSE_AT(
        texture->memory == GT_TEXTURE_BUFFER && argument->extent_count == 1 &&
            given & ~(1u << READ | 1u << MEMORY),
        texture->place,
        "'%s' has one extent, and tex1Dfetch() reads it without settings; expected "
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
                 "with them");
    GT_REFUSE_AT(gt_structure_of(template, argument->type), texture->place,
                 "elements of '%s' are structs; expected a number or a vector such as float4",
                 argument->name);
    return GPUTUNE_OK;
}

/* Reads texture(BUFFER[, SETTING = WORD]…[, width = e]). */
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
        GT_TRY(gt_read_setting(kept, &texture_settings, &given, p));
    }
    GT_TRY(gt_read_end(p));
    return check_settings(kept, given, p->template);
}
