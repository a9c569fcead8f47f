/* Encodes the tensor maps of a launch. That is work of the host alone, so each launch does it anew,
 * with the addresses that it gets. */
#include "gpu/launcher_parts.h"

#include <string.h>

static gputune_status encode(CUtensorMap *out, const gt_launcher *launcher, const gt_tensormap *map,
                             CUdeviceptr address, int argument)
{
    static const cuuint32_t every[GT_TENSORMAP_RANK] = {1, 1, 1, 1, 1};
    cuuint64_t sizes[GT_TENSORMAP_RANK], strides[GT_TENSORMAP_RANK];
    const gt_driver *driver = launcher->driver;
    if (address % map->alignment) {
        return gt_fail(GPUTUNE_EINVAL,
                       "%s: argument %d is at %#llx; its tensor map needs a multiple of %u bytes",
                       launcher->launch->entry, argument + 1, (unsigned long long)address,
                       map->alignment);
    }
    for (int i = 0; i < GT_TENSORMAP_RANK; i++) {
        sizes[i] = map->sizes[i];
        strides[i] = map->strides[i];
    }
    CUresult result = driver->TensorMapEncodeTiled(
        out, (int)map->type, map->rank, (void *)(uintptr_t)address, sizes, strides, map->box, every,
        (int)map->interleave, (int)map->swizzle, (int)map->l2_promotion, (int)map->nan_fill);
    return gt_cuda_check(driver, result, "cuTensorMapEncodeTiled");
}

gputune_status gt_maps_encode(CUtensorMap out[GT_TENSORMAP_MAX], const gt_launcher *launcher,
                              const void *const *arguments)
{
    const gt_launch *launch = launcher->launch;
    if (!launcher->driver->TensorMapEncodeTiled) {
        return gt_fail(GPUTUNE_EUNSUPPORTED,
                       "%s: this driver makes no tensor maps; expected driver 12.0 or newer",
                       launch->entry);
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        CUdeviceptr address;
        if (parameter->kind == GT_PARAMETER_TENSORMAP) {
            memcpy(&address, arguments[parameter->argument], sizeof address);
            GT_TRY(encode(&out[parameter->map], launcher, &launch->maps[parameter->map], address,
                          parameter->argument));
        }
    }
    return GPUTUNE_OK;
}
