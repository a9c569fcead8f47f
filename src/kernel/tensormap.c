/* What a kernel takes in a buffer's place, tensor maps and texture objects: the pragmas tensormap
 * and texture, and what they come to for a configuration and for sizes. */
#include "kernel/tensormap.h"

#include "kernel/parse.h"
#include "kernel/structure.h"
#include "kernel/types.h"

#include <string.h>

enum { BOX_MAX = 256 };

/* CUtensorMapDataType; what is copied has no sign. */
static const uint32_t data_types[] = {
    [GT_TYPE_I8] = 0,   [GT_TYPE_U8] = 0,   [GT_TYPE_I16] = 1,  [GT_TYPE_U16] = 1,
    [GT_TYPE_I32] = 3,  [GT_TYPE_U32] = 2,  [GT_TYPE_I64] = 5,  [GT_TYPE_U64] = 4,
    [GT_TYPE_BOOL] = 0, [GT_TYPE_F16] = 6,  [GT_TYPE_BF16] = 9, [GT_TYPE_F32] = 7,
    [GT_TYPE_F64] = 8,  [GT_TYPE_E4M3] = 0, [GT_TYPE_E5M2] = 0};

/* The place of a mode's value in its list (0, the driver's enumerator of "none", first). */
static gt_limit find_mode(uint32_t *out, const gt_expression *mode, const int64_t values[4],
                          const gt_binding *binding)
{
    int64_t value = 0;
    GT_EXCLUDE(mode && gt_expression_try(&value, mode, binding->slots), GT_LIMIT_EXPRESSION);
    for (*out = 0; *out < 4 && values[*out] != value; ++*out) {
    }
    return *out < 4 ? GT_LIMIT_NONE : GT_LIMIT_TENSORMAP_MODE;
}

/* Dimension i of the driver's order is the i-th from the end of the template's. */
static gt_limit make_shape(gt_tensormap *out, const gt_map *map, const gt_binding *binding,
                           uint32_t element)
{
    const gt_argument *argument = &binding->template->arguments[map->argument];
    uint64_t packed = element;
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t at = out->rank - 1 - i;
        int64_t size, box, stride;
        const gt_expression *extent =
            map->sizes.count ? map->sizes.items[at] : argument->extents[at];
        GT_EXCLUDE(gt_expression_try(&size, extent, binding->slots) ||
                       gt_expression_try(&box, map->box.items[at], binding->slots),
                   GT_LIMIT_EXPRESSION);
        GT_EXCLUDE(size < 1 || size > INT64_C(1) << 32, GT_LIMIT_TENSORMAP_SIZE);
        GT_EXCLUDE(box < 1 || box > BOX_MAX, GT_LIMIT_TENSORMAP_BOX);
        out->sizes[i] = (uint64_t)size;
        out->box[i] = (uint32_t)box;
        packed *= (uint64_t)size;
        if (at == 0) {
            break;
        }
        out->strides[i] = packed;
        if (map->strides.count > 0) {
            GT_EXCLUDE(gt_expression_try(&stride, map->strides.items[at - 1], binding->slots) ||
                           stride < 1 || stride > INT64_C(1) << 40,
                       GT_LIMIT_EXPRESSION);
            out->strides[i] = packed = (uint64_t)stride * element;
        }
        GT_EXCLUDE(out->strides[i] >= UINT64_C(1) << 40, GT_LIMIT_TENSORMAP_SIZE);
    }
    return GT_LIMIT_NONE;
}

static gt_limit make_map(gt_tensormap *out, const gt_map *map, const gt_binding *binding)
{
    static const int64_t swizzles[4] = {0, 32, 64, 128}, interleaves[4] = {0, 16, 32, 0},
                         promotions[4] = {0, 64, 128, 256};
    const gt_element element =
        gt_element_resolve(binding, binding->template->arguments[map->argument].type);
    *out = (gt_tensormap){.rank = map->box.count, .type = data_types[element.type]};
    out->nan_fill = map->nan_fill && gt_type_is_float(element.type);
    GT_WITHIN(find_mode(&out->swizzle, map->swizzle, swizzles, binding));
    GT_WITHIN(find_mode(&out->interleave, map->interleave, interleaves, binding));
    GT_WITHIN(find_mode(&out->l2_promotion, map->l2, promotions, binding));
    GT_EXCLUDE(out->interleave > 0 && out->rank < 3, GT_LIMIT_TENSORMAP_MODE);
    out->alignment = out->interleave == 2 ? 32 : 16;
    GT_WITHIN(make_shape(out, map, binding, element.bytes));
    const uint64_t row = (uint64_t)out->box[0] * element.bytes;
    GT_EXCLUDE(out->interleave == 0 && row % 16 != 0, GT_LIMIT_TENSORMAP_BOX);
    GT_EXCLUDE(out->interleave == 0 && out->swizzle > 0 && row > UINT64_C(16) << out->swizzle,
               GT_LIMIT_TENSORMAP_SWIZZLE);
    for (uint32_t i = 0; i + 1 < out->rank; i++) {
        GT_EXCLUDE(out->strides[i] % out->alignment != 0, GT_LIMIT_TENSORMAP_STRIDE);
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    GT_EXCLUDE(parts->map_count > 0 && binding->device->cc < 90, GT_LIMIT_TENSORMAP_NONE);
    for (uint32_t i = 0; i < parts->map_count; i++) {
        GT_WITHIN(make_map(&out[i], &parts->maps[i], binding));
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_binding_maps(gt_binding *binding)
{
    gt_tensormap maps[GT_TENSORMAP_MAX];
    return gt_maps_make(maps, binding);
}

/* ---- textures ---- */

enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 }; /* CU_TRSF_… */
enum { FIRST_FLOAT = 16 };                                /* of CUarray_format */

/* CUarray_format; elements of 8 bytes are read as two integers, as hardware has it. 0: none. */
static const uint32_t formats[GT_TYPE_LAST + 1] = {
    [GT_TYPE_U8] = 1,   [GT_TYPE_U16] = 2,  [GT_TYPE_U32] = 3,  [GT_TYPE_U64] = 3,
    [GT_TYPE_I8] = 8,   [GT_TYPE_I16] = 9,  [GT_TYPE_I32] = 10, [GT_TYPE_I64] = 10,
    [GT_TYPE_F64] = 10, [GT_TYPE_F16] = 16, [GT_TYPE_F32] = 32};

static uint32_t channels_of(const gt_element *element)
{
    return element->lanes * (gt_type_bytes(element->type) == 8 ? 2 : 1);
}

/* Checks that a texture can have the argument's elements and the clause's settings. ETEMPLATE, with
 * the clause's place, if not. */
static gputune_status check_texture(const gt_texture_clause *clause, const gt_argument *argument,
                                    const gt_element *element)
{
    const uint32_t format = formats[element->type], channels = channels_of(element);
    const bool is_small = format && gt_type_bytes(element->type) <= 2 && format < FIRST_FLOAT;
    GT_REFUSE_AT(!format || (channels != 1 && channels != 2 && channels != 4), clause->place,
                 "'%s' has elements of %s, which a texture cannot have; expected 1, 2 or 4 "
                 "integers of 8, 16 or 32 bits, half or float",
                 argument->name, argument->type);
    GT_REFUSE_AT(
        clause->normalized_read && !is_small, clause->place,
        "'%s' has elements of %s; expected read = normalized for integers of 8 or 16 bits alone",
        argument->name, argument->type);
    GT_REFUSE_AT(
        clause->filter == GT_TEXTURE_LINEAR && format < FIRST_FLOAT && !clause->normalized_read,
        clause->place, "'%s' has elements of %s, which are not filtered; expected half or float%s",
        argument->name, argument->type, is_small ? ", or read = normalized" : "");
    return GPUTUNE_OK;
}

/* A texture's sizes as numbers. */
typedef struct shape {
    gt_element element;
    uint32_t rank;    /* without layers */
    int64_t sizes[3]; /* elements of a row, rows, slices or layers; 0: there are none */
    int64_t pitch;    /* elements of a row of the buffer */
} shape;

static gputune_status make_sizes(shape *out, const gt_texture_clause *clause,
                                 const gt_binding *binding)
{
    const gt_argument *argument = &binding->template->arguments[clause->argument];
    const bool is_layered = clause->memory == GT_TEXTURE_LAYERED;
    out->element = gt_element_resolve(binding, argument->type);
    GT_TRY(check_texture(clause, argument, &out->element));
    out->rank = argument->extent_count - is_layered;
    for (uint32_t i = 0; i < argument->extent_count; i++) {
        const uint32_t at = is_layered && i == 0 ? 2 : argument->extent_count - 1 - i;
        GT_TRY(gt_expression_integer(&out->sizes[at], argument->extents[i], binding->slots));
    }
    out->pitch = out->sizes[0];
    return clause->width ? gt_expression_integer(&out->sizes[0], clause->width, binding->slots)
                         : GPUTUNE_OK;
}

/* What GPUs have since compute capability 7.5. */
static gputune_status check_sizes(const gt_texture_clause *clause, const shape *shape,
                                  const char *name)
{
    static const int64_t most[][3][3] = {
        [GT_TEXTURE_BUFFER] = {{1 << 28}, {131072, 65000}},
        [GT_TEXTURE_ARRAY] = {{131072}, {131072, 65536}, {16384, 16384, 16384}},
        [GT_TEXTURE_LAYERED] = {{32768, 0, 2048}, {32768, 32768, 2048}}};
    for (int i = 0; i < 3; i++) {
        const int64_t limit = most[clause->memory][shape->rank - 1][i];
        GT_REFUSE_AT(shape->sizes[i] > limit, clause->place,
                     "an extent of '%s' is %lld at these sizes; expected %lld at most, as such a "
                     "texture has",
                     name, (long long)shape->sizes[i], (long long)limit);
    }
    return GPUTUNE_OK;
}

static gputune_status check_shape(const gt_texture_clause *clause, const shape *shape,
                                  const char *name)
{
    const long long width = shape->sizes[0], pitch = shape->pitch;
    GT_REFUSE_AT(width < 1 || width > pitch, clause->place,
                 "width of '%s' is %lld at these sizes; expected 1 to the %lld elements of a row",
                 name, width, pitch);
    GT_TRY(check_sizes(clause, shape, name));
    GT_REFUSE_AT(
        clause->memory == GT_TEXTURE_BUFFER && shape->rank == 2 &&
            pitch * shape->element.bytes % GT_TEXTURE_PITCH,
        clause->place,
        "rows of '%s' have %lld bytes at these sizes, and a texture's a multiple of %d; expected "
        "memory = array, or a longer last extent in args(), and width = %lld here",
        name, pitch * shape->element.bytes, GT_TEXTURE_PITCH, width);
    return GPUTUNE_OK;
}

static gputune_status make_texture(gt_texture *out, const gt_texture_clause *clause,
                                   const gt_binding *binding)
{
    shape shape = {.rank = 0};
    GT_TRY(make_sizes(&shape, clause, binding));
    GT_TRY(check_shape(clause, &shape, binding->template->arguments[clause->argument].name));
    *out = (gt_texture){.format = formats[shape.element.type],
                        .channels = channels_of(&shape.element),
                        .filter = clause->filter,
                        .address = clause->address,
                        .memory = clause->memory,
                        .height = (uint32_t)shape.sizes[1],
                        .depth = (uint32_t)shape.sizes[2],
                        .width = (uint64_t)shape.sizes[0],
                        .row_bytes = (uint64_t)shape.sizes[0] * shape.element.bytes,
                        .pitch_bytes = (uint64_t)shape.pitch * shape.element.bytes};
    out->flags = (out->format < FIRST_FLOAT && !clause->normalized_read ? READ_AS_INTEGER : 0u) |
                 (clause->normalized_coordinates ? NORMALIZED_COORDINATES : 0u);
    return GPUTUNE_OK;
}

gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    for (uint32_t i = 0; i < parts->texture_count; i++) {
        GT_TRY(make_texture(&out[i], &parts->textures[i], binding));
    }
    return GPUTUNE_OK;
}

/* ---- pragmas --------------------------------------------------------------------------------- */

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };

#define LIST(name)                                                                                 \
    {                                                                                              \
        .word = #name, .offset = offsetof(gt_map, name), .most = GT_TENSORMAP_RANK,                \
        .launch_use = USE                                                                          \
    }
#define MODE(name, words_, expected_)                                                              \
    {                                                                                              \
        .word = #name, .offset = offsetof(gt_map, name), .most = 1, .launch_use = USE,             \
        .words = words_, .expected = expected_                                                     \
    }
static const gt_setting of_map[] = {LIST(box),
                                    LIST(sizes),
                                    LIST(strides),
                                    MODE(swizzle, "0 32 64 128", "0, 32, 64 or 128"),
                                    MODE(interleave, "0 16 32", "0, 16 or 32"),
                                    MODE(l2, "0 64 128 256", "0, 64, 128 or 256"),
                                    {"fill", offsetof(gt_map, nan_fill), .words = "zero nan",
                                     .expected = "fill = zero or fill = nan"}};
static const gt_settings map_settings = {of_map, sizeof of_map / sizeof *of_map,
                                         "a setting such as box = (64, 64)"};

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
    const uint32_t rank = map->box.count, strides = map->strides.count;
    const uint32_t sizes = map->sizes.count ? map->sizes.count : extents;
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
    uint32_t given = 0;
    GT_TRY(gt_check_room(parts->map_count, GT_TENSORMAP_MAX, "tensor maps", p->clause->place));
    gt_map map = {.replaces = false};
    GT_TRY(read_names(&map, p));
    gt_map *kept = &parts->maps[parts->map_count++];
    *kept = map;
    if (map.replaces) {
        p->template->arguments[map.argument].map = kept;
    }
    while (gt_lexer_accept(&p->at, ",")) {
        GT_TRY(gt_read_setting(kept, &map_settings, &given, p));
    }
    GT_TRY(gt_read_end(p));
    return check_ranks(kept, p->template);
}

/* ---- textures -------------------------------------------------------------------------------- */

enum { FILTER, ADDRESS, COORDINATES, READ, MEMORY, WIDTH, SETTINGS };

#define WORD(name, member, words_, expected_)                                                      \
    {                                                                                              \
        .word = name, .offset = offsetof(gt_texture_clause, member), .words = words_,              \
        .expected = expected_                                                                      \
    }
static const gt_setting of_texture[SETTINGS] = {
    [FILTER] = WORD("filter", filter, "point linear", "point or linear"),
    [ADDRESS] =
        WORD("address", address, "wrap clamp mirror border", "clamp, border, wrap or mirror"),
    [COORDINATES] = WORD("coordinates", normalized_coordinates, "unnormalized normalized",
                         "unnormalized or normalized"),
    [READ] = WORD("read", normalized_read, "element normalized", "element or normalized"),
    [MEMORY] = WORD("memory", memory, "buffer array layered", "buffer, array or layered"),
    [WIDTH] = {"width", offsetof(gt_texture_clause, width), 1, 0, GT_USE_PROBLEM}};
static const gt_settings texture_settings = {of_texture, SETTINGS,
                                             "a setting such as filter = linear"};

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
               ? check_texture(texture, argument, &element)
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
        GT_TRY(gt_read_setting(kept, &texture_settings, &given, p));
    }
    GT_TRY(gt_read_end(p));
    return check_settings(kept, given, p->template);
}
