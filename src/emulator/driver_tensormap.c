/* Tensor maps: cuTensorMapEncodeTiled. */
#include "emulator/context.h"
#include "emulator/enter.h"
#include "emulator/tensor_map.h"

#include <string.h>

enum { BOX_MAX = 256, INNER_ALIGNMENT = 16, SWIZZLES = 4 };

static bool is_sound_dimension(cuuint64_t size, cuuint32_t box, cuuint32_t step)
{
    return size >= 1 && size <= UINT64_C(1) << 32 && box >= 1 && box <= BOX_MAX && step >= 1 &&
           step <= 8;
}

static bool is_sound_row(const emu_tensor_map *map)
{
    uint32_t bytes = map->box[0] * emu_tensor_element_bytes(map->type);
    return map->interleave ||
           (bytes % INNER_ALIGNMENT == 0 && (!map->swizzle || bytes <= 16u << map->swizzle));
}

/* Works without a context, like the real call. */
EMU_EXPORT CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill fill)
{
    EMU_ENTER(cuTensorMapEncodeTiled, 0);
    const uint64_t alignment = interleave == 2 ? 32 : 16;
    EMU_CHECK(map && address && sizes && strides && box && steps, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(rank >= (interleave ? 3 : 1) && rank <= EMU_TENSOR_RANK, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK((uintptr_t)map % 64 == 0 && (uintptr_t)address % alignment == 0,
              CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(emu_tensor_element_bytes(type) && swizzle >= 0 && swizzle < SWIZZLES &&
                  l2_promotion >= 0 && l2_promotion <= 3 && fill >= 0 && fill <= 1,
              CUDA_ERROR_INVALID_VALUE);
    emu_tensor_map made = {.magic = EMU_TENSOR_MAGIC,
                           .type = (uint8_t)type,
                           .rank = (uint8_t)rank,
                           .swizzle = (uint8_t)swizzle,
                           .interleave = (uint8_t)interleave,
                           .fills_nan = (uint8_t)fill,
                           .address = (uintptr_t)address};
    for (cuuint32_t i = 0; i < rank; i++) {
        EMU_CHECK(is_sound_dimension(sizes[i], box[i], steps[i]), CUDA_ERROR_INVALID_VALUE);
        EMU_CHECK(i + 1 == rank || strides[i] % alignment == 0, CUDA_ERROR_INVALID_VALUE);
        made.sizes[i] = sizes[i];
        made.strides[i] = i + 1 < rank ? strides[i] : 0;
        made.box[i] = (uint16_t)box[i];
        made.steps[i] = (uint8_t)steps[i];
    }
    made.steps[0] = 1; /* ignored, as documented */
    EMU_CHECK(is_sound_row(&made), CUDA_ERROR_INVALID_VALUE);
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}
