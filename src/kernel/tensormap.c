/* Works out how tensor maps are encoded, by the rules of cuTensorMapEncodeTiled(). */
#include "kernel/tensormap.h"

#include "kernel/types.h"

enum { BOX_MAX = 256 };

void gt_map_expressions(const gt_map *map, void (*use)(void *user, const gt_expression *expression),
                        void *user)
{
    for (uint32_t i = 0; i < GT_MAP_PARTS; i++) {
        for (uint32_t k = 0; k < map->parts[i].count; k++) {
            use(user, map->parts[i].items[k]);
        }
    }
}

/* CUtensorMapDataType; what is copied has no sign. */
static uint32_t data_type(gt_type type)
{
    static const uint32_t types[] = {
        [GT_TYPE_I8] = 0,   [GT_TYPE_U8] = 0,   [GT_TYPE_I16] = 1,  [GT_TYPE_U16] = 1,
        [GT_TYPE_I32] = 3,  [GT_TYPE_U32] = 2,  [GT_TYPE_I64] = 5,  [GT_TYPE_U64] = 4,
        [GT_TYPE_BOOL] = 0, [GT_TYPE_F16] = 6,  [GT_TYPE_BF16] = 9, [GT_TYPE_F32] = 7,
        [GT_TYPE_F64] = 8,  [GT_TYPE_E4M3] = 0, [GT_TYPE_E5M2] = 0};
    return types[type];
}

/* The place of a mode's value in its list (0, the driver's enumerator of "none", first). */
static gt_limit find_mode(uint32_t *out, const gt_map *map, gt_map_part_kind mode,
                          const gt_binding *binding)
{
    static const int64_t values[GT_MAP_PARTS][4] = {[GT_MAP_SWIZZLE] = {0, 32, 64, 128},
                                                    [GT_MAP_INTERLEAVE] = {0, 16, 32, 0},
                                                    [GT_MAP_L2] = {0, 64, 128, 256}};
    int64_t value = 0;
    GT_EXCLUDE(map->parts[mode].count &&
                   gt_expression_try(&value, map->parts[mode].items[0], binding->slots),
               GT_LIMIT_EXPRESSION);
    for (*out = 0; *out < 4 && values[mode][*out] != value; ++*out) {
    }
    return *out < 4 ? GT_LIMIT_NONE : GT_LIMIT_TENSORMAP_MODE;
}

static gt_limit make_modes(gt_tensormap *out, const gt_map *map, const gt_binding *binding)
{
    GT_WITHIN(find_mode(&out->swizzle, map, GT_MAP_SWIZZLE, binding));
    GT_WITHIN(find_mode(&out->interleave, map, GT_MAP_INTERLEAVE, binding));
    GT_WITHIN(find_mode(&out->l2_promotion, map, GT_MAP_L2, binding));
    return out->interleave > 0 && out->rank < 3 ? GT_LIMIT_TENSORMAP_MODE : GT_LIMIT_NONE;
}

/* Dimension i of the driver's order is the i-th from the end of the template's. */
static gt_limit make_shape(gt_tensormap *out, const gt_map *map, const gt_binding *binding,
                           uint32_t element)
{
    const gt_argument *argument = &binding->template->arguments[map->argument];
    const gt_map_part *sizes = &map->parts[GT_MAP_SIZES], *strides = &map->parts[GT_MAP_STRIDES];
    uint64_t packed = element;
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t at = out->rank - 1 - i;
        int64_t size, box, stride;
        const gt_expression *extent = sizes->count ? sizes->items[at] : argument->extents[at];
        GT_EXCLUDE(gt_expression_try(&size, extent, binding->slots) ||
                       gt_expression_try(&box, map->parts[GT_MAP_BOX].items[at], binding->slots),
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
        if (strides->count > 0) {
            GT_EXCLUDE(gt_expression_try(&stride, strides->items[at - 1], binding->slots) ||
                           stride < 1 || stride > INT64_C(1) << 40,
                       GT_LIMIT_EXPRESSION);
            out->strides[i] = packed = (uint64_t)stride * element;
        }
        GT_EXCLUDE(out->strides[i] >= UINT64_C(1) << 40, GT_LIMIT_TENSORMAP_SIZE);
    }
    return GT_LIMIT_NONE;
}

static gt_limit check_map(const gt_tensormap *map, uint32_t element)
{
    uint64_t row = (uint64_t)map->box[0] * element;
    GT_EXCLUDE(map->interleave == 0 && row % 16 != 0, GT_LIMIT_TENSORMAP_BOX);
    GT_EXCLUDE(map->interleave == 0 && map->swizzle > 0 && row > UINT64_C(16) << map->swizzle,
               GT_LIMIT_TENSORMAP_SWIZZLE);
    for (uint32_t i = 0; i + 1 < map->rank; i++) {
        GT_EXCLUDE(map->strides[i] % map->alignment != 0, GT_LIMIT_TENSORMAP_STRIDE);
    }
    return GT_LIMIT_NONE;
}

static gt_limit make_map(gt_tensormap *out, const gt_map *map, const gt_binding *binding)
{
    const gt_element element =
        gt_element_resolve(binding, binding->template->arguments[map->argument].type);
    *out = (gt_tensormap){.rank = map->parts[GT_MAP_BOX].count, .type = data_type(element.type)};
    out->nan_fill = map->nan_fill && gt_type_is_float(element.type);
    GT_WITHIN(make_modes(out, map, binding));
    out->alignment = out->interleave == 2 ? 32 : 16;
    GT_WITHIN(make_shape(out, map, binding, element.bytes));
    return check_map(out, element.bytes);
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
