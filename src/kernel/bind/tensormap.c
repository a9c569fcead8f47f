/* Computes the tensor maps of a configuration, and the textures of a problem. */
#include "kernel/bind/binding.h"

#include "kernel/text/types.h"

#include <string.h>

enum { BOX_MAX = 256 };

/* CUtensorMapDataType for each type. Data are only copied, so their sign does not matter. */
static const uint32_t data_types[] = {
    [GT_TYPE_I8] = 0,   [GT_TYPE_U8] = 0,   [GT_TYPE_I16] = 1,  [GT_TYPE_U16] = 1,
    [GT_TYPE_I32] = 3,  [GT_TYPE_U32] = 2,  [GT_TYPE_I64] = 5,  [GT_TYPE_U64] = 4,
    [GT_TYPE_BOOL] = 0, [GT_TYPE_F16] = 6,  [GT_TYPE_BF16] = 9, [GT_TYPE_F32] = 7,
    [GT_TYPE_F64] = 8,  [GT_TYPE_E4M3] = 0, [GT_TYPE_E5M2] = 0};

/* Finds a mode in a list. Sets *out to its index, which is the driver's value for the mode. */
static gt_limit find_mode(uint32_t *out, const gt_expression *mode, const int64_t values[4],
                          const gt_binding *binding)
{
    int64_t value = 0;
    GT_EXCLUDE(mode && gt_expression_try(&value, mode, binding->slots), GT_LIMIT_EXPRESSION);
    for (*out = 0; *out < 4 && values[*out] != value; ++*out) {
    }
    return *out < 4 ? GT_LIMIT_NONE : GT_LIMIT_TENSORMAP_MODE;
}

/* Sets the sizes, box and strides. The fastest dimension is the driver's first one, but the
 * template's last one. */
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
        if (at == 0) {
            break;
        }
        GT_EXCLUDE(__builtin_mul_overflow(packed, (uint64_t)size, &packed),
                   GT_LIMIT_TENSORMAP_SIZE);
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

gt_limit gt_map_modes(gt_tensormap *out, const gt_map *map, const gt_binding *binding)
{
    static const int64_t swizzles[4] = {0, 32, 64, 128}, interleaves[4] = {0, 16, 32, 0},
                         promotions[4] = {0, 64, 128, 256};
    const gt_type type =
        gt_element_resolve(binding, binding->template->arguments[map->argument].type).type;
    *out = (gt_tensormap){.rank = map->box.count, .type = data_types[type]};
    out->nan_fill = map->nan_fill && gt_type_is_float(type);
    GT_WITHIN(find_mode(&out->swizzle, map->swizzle, swizzles, binding));
    GT_WITHIN(find_mode(&out->interleave, map->interleave, interleaves, binding));
    GT_WITHIN(find_mode(&out->l2_promotion, map->l2, promotions, binding));
    GT_EXCLUDE(out->interleave > 0 && out->rank < 3, GT_LIMIT_TENSORMAP_MODE);
    out->alignment = out->interleave == 2 ? 32 : 16;
    return GT_LIMIT_NONE;
}

static gt_limit make_map(gt_tensormap *out, const gt_map *map, const gt_binding *binding)
{
    const gt_element element =
        gt_element_resolve(binding, binding->template->arguments[map->argument].type);
    GT_WITHIN(gt_map_modes(out, map, binding));
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

enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 }; /* values of the driver's CU_TRSF_… */
enum { FLOATS = 16 }; /* CUarray_format values from this one on are floating-point */

/* CUarray_format for each type; 0 for none. Elements of 8 bytes are read as two integers. */
static const uint32_t formats[GT_TYPE_LAST + 1] = {
    [GT_TYPE_U8] = 1,   [GT_TYPE_U16] = 2,  [GT_TYPE_U32] = 3,  [GT_TYPE_U64] = 3,
    [GT_TYPE_I8] = 8,   [GT_TYPE_I16] = 9,  [GT_TYPE_I32] = 10, [GT_TYPE_I64] = 10,
    [GT_TYPE_F64] = 10, [GT_TYPE_F16] = 16, [GT_TYPE_F32] = 32};

typedef struct shape {
    gt_element element;
    uint32_t rank;    /* number of dimensions, not counting layers */
    int64_t sizes[3]; /* length of a row, number of rows, number of slices or layers; 0: none */
    int64_t pitch;    /* distance between rows of the buffer, in elements */
} shape;

static uint32_t channels_of(const gt_element *element)
{
    return element->lanes * (gt_type_bytes(element->type) == 8 ? 2 : 1);
}

static gputune_status check_elements(const gt_texture_clause *clause, const gt_argument *argument,
                                     const gt_element *element)
{
    const uint32_t format = formats[element->type], channels = channels_of(element);
    const bool is_small = format && gt_type_bytes(element->type) <= 2 && format < FLOATS;
    GT_REFUSE_AT(!format || (channels != 1 && channels != 2 && channels != 4), clause->place,
                 "'%s' has elements of %s, which a texture cannot have; expected 1, 2 or 4 "
                 "integers of 8, 16 or 32 bits, half or float",
                 argument->name, argument->type);
    GT_REFUSE_AT(
        clause->normalized_read && !is_small, clause->place,
        "'%s' has elements of %s; expected read = normalized only for integers of 8 or 16 bits",
        argument->name, argument->type);
    GT_REFUSE_AT(clause->filter == GT_TEXTURE_LINEAR && format < FLOATS && !clause->normalized_read,
                 clause->place,
                 "'%s' has elements of %s, which are not filtered; expected half or float%s",
                 argument->name, argument->type, is_small ? ", or read = normalized" : "");
    return GPUTUNE_OK;
}

static gputune_status make_sizes(shape *out, const gt_texture_clause *clause,
                                 const gt_binding *binding)
{
    const gt_argument *argument = &binding->template->arguments[clause->argument];
    const bool is_layered = clause->memory == GT_TEXTURE_LAYERED;
    out->element = gt_element_resolve(binding, argument->type);
    GT_TRY(check_elements(clause, argument, &out->element));
    out->rank = argument->extent_count - is_layered;
    for (uint32_t i = 0; i < argument->extent_count; i++) {
        const uint32_t at = is_layered && i == 0 ? 2 : argument->extent_count - 1 - i;
        GT_TRY(gt_expression_integer(&out->sizes[at], argument->extents[i], binding->slots));
    }
    out->pitch = out->sizes[0];
    return clause->width ? gt_expression_integer(&out->sizes[0], clause->width, binding->slots)
                         : GPUTUNE_OK;
}

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
                     "an extent of '%s' is %lld at these sizes; expected at most %lld, the limit "
                     "of such a texture",
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
        "rows of '%s' have %lld bytes at these sizes, but a texture needs a multiple of %d; "
        "use memory = array, or pad the last extent in args() and give width = %lld here",
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
    out->flags = (out->format < FLOATS && !clause->normalized_read ? READ_AS_INTEGER : 0u) |
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
