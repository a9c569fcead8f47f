/* Works out how texture objects are made, by the rules of cuTexObjectCreate(). */
#include "kernel/tensormap.h"

#include "kernel/types.h"

enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 }; /* CU_TRSF_… */
enum { FIRST_FLOAT = 16 };                                /* of CUarray_format */

/* CUarray_format; elements of 8 bytes are read as two integers, as hardware has it. 0: none. */
static uint32_t format_of(gt_type type)
{
    static const uint32_t formats[GT_TYPE_LAST + 1] = {
        [GT_TYPE_U8] = 1,   [GT_TYPE_U16] = 2,  [GT_TYPE_U32] = 3,  [GT_TYPE_U64] = 3,
        [GT_TYPE_I8] = 8,   [GT_TYPE_I16] = 9,  [GT_TYPE_I32] = 10, [GT_TYPE_I64] = 10,
        [GT_TYPE_F64] = 10, [GT_TYPE_F16] = 16, [GT_TYPE_F32] = 32};
    return formats[type];
}

static uint32_t channels_of(const gt_element *element)
{
    return element->lanes * (gt_type_bytes(element->type) == 8 ? 2 : 1);
}

gputune_status gt_texture_check(const gt_texture_clause *clause, const gt_argument *argument,
                                const gt_element *element)
{
    const uint32_t format = format_of(element->type), channels = channels_of(element);
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

static gputune_status make_shape(shape *out, const gt_texture_clause *clause,
                                 const gt_binding *binding)
{
    const gt_argument *argument = &binding->template->arguments[clause->argument];
    const bool is_layered = clause->memory == GT_TEXTURE_LAYERED;
    out->element = gt_element_resolve(binding, argument->type);
    GT_TRY(gt_texture_check(clause, argument, &out->element));
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
    GT_TRY(make_shape(&shape, clause, binding));
    GT_TRY(check_shape(clause, &shape, binding->template->arguments[clause->argument].name));
    *out = (gt_texture){.format = format_of(shape.element.type),
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
