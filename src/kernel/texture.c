/* Works out how texture objects are made, by the rules of cuTexObjectCreate(). */
#include "kernel/texture.h"

#include "kernel/types.h"

enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 }; /* CU_TRSF_… */
enum { FIRST_FLOAT = 16 };                                /* of CUarray_format */

int gt_texture_of_argument(const gt_template *template, uint32_t argument)
{
    for (uint32_t i = 0; i < template->parts->texture_count; i++) {
        if (template->parts->textures[i].argument == argument) {
            return (int)i;
        }
    }
    return -1;
}

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
    if (!format || (channels != 1 && channels != 2 && channels != 4)) {
        return gt_fail_at(
            clause->place,
            "'%s' has elements of %s, which a texture cannot have; expected 1, 2 or 4 "
            "integers of 8, 16 or 32 bits, half or float",
            argument->name, argument->type);
    }
    if (clause->normalized_read && !is_small) {
        return gt_fail_at(clause->place,
                          "'%s' has elements of %s; expected read = normalized for integers of 8 "
                          "or 16 bits alone",
                          argument->name, argument->type);
    }
    if (clause->filter == GT_TEXTURE_LINEAR && format < FIRST_FLOAT && !clause->normalized_read) {
        return gt_fail_at(clause->place,
                          "'%s' has elements of %s, which are not filtered; expected half or "
                          "float%s",
                          argument->name, argument->type, is_small ? ", or read = normalized" : "");
    }
    return GPUTUNE_OK;
}

/* Element, extents and width as numbers. */
typedef struct shape {
    gt_element element;
    int64_t extents[2], width;
} shape;

static gputune_status make_shape(shape *out, const gt_texture_clause *clause,
                                 const gt_binding *binding)
{
    const gt_argument *argument = &binding->template->arguments[clause->argument];
    out->element = gt_element_resolve(binding, argument->type);
    GT_TRY(gt_texture_check(clause, argument, &out->element));
    for (uint32_t i = 0; i < argument->extent_count; i++) {
        GT_TRY(gt_expression_integer(&out->extents[i], argument->extents[i], binding->slots));
    }
    out->width = out->extents[argument->extent_count - 1];
    return clause->width ? gt_expression_integer(&out->width, clause->width, binding->slots)
                         : GPUTUNE_OK;
}

static gputune_status check_linear(const gt_texture_clause *clause, const shape *shape,
                                   const char *name)
{
    return shape->width <= GT_TEXTURE_ELEMENTS
               ? GPUTUNE_OK
               : gt_fail_at(clause->place,
                            "'%s' has %lld elements at these sizes; a texture of linear memory has "
                            "at most 2^28",
                            name, (long long)shape->width);
}

static gputune_status check_rows(const gt_texture_clause *clause, const shape *shape,
                                 const char *name)
{
    const long long width = shape->width, height = shape->extents[0], pitch = shape->extents[1];
    if (width < 1 || width > pitch) {
        return gt_fail_at(
            clause->place,
            "width of '%s' is %lld at these sizes; expected 1 to the %lld elements of "
            "a row",
            name, width, pitch);
    }
    if (width > GT_TEXTURE_WIDTH || height > GT_TEXTURE_HEIGHT) {
        return gt_fail_at(clause->place,
                          "'%s' has %lld rows of %lld elements at these sizes; a texture has at "
                          "most %d of %d",
                          name, height, width, GT_TEXTURE_HEIGHT, GT_TEXTURE_WIDTH);
    }
    if (pitch * shape->element.bytes % GT_TEXTURE_PITCH) {
        return gt_fail_at(clause->place,
                          "rows of '%s' have %lld bytes at these sizes, and a texture's a multiple "
                          "of %d; expected a longer last extent in args(), and width = %lld here",
                          name, pitch * shape->element.bytes, GT_TEXTURE_PITCH, width);
    }
    return GPUTUNE_OK;
}

static gputune_status make_texture(gt_texture *out, const gt_texture_clause *clause,
                                   const gt_binding *binding)
{
    const gt_argument *argument = &binding->template->arguments[clause->argument];
    const bool has_rows = argument->extent_count == 2;
    shape shape = {0};
    GT_TRY(make_shape(&shape, clause, binding));
    GT_TRY(has_rows ? check_rows(clause, &shape, argument->name)
                    : check_linear(clause, &shape, argument->name));
    *out = (gt_texture){.format = format_of(shape.element.type),
                        .channels = channels_of(&shape.element),
                        .filter = clause->filter,
                        .address = clause->address,
                        .height = has_rows ? (uint32_t)shape.extents[0] : 0,
                        .width = (uint64_t)shape.width,
                        .pitch_bytes = (uint64_t)shape.extents[argument->extent_count - 1] *
                                       shape.element.bytes};
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
