/* cuTensorMapEncodeTiled: checks what it gets, and notes it in the map. Kernels may take such maps;
 * what executes instructions on them is refused when it is decoded. */
#include "emulator/context.h"
#include "emulator/enter.h"

#include <string.h>

enum { RANK_MAX = 5, BOX_MAX = 256, MAGIC = 0x70616d74 };

static bool is_sound_dimension(cuuint64_t size, cuuint32_t box, cuuint32_t step)
{
    return size >= 1 && size <= UINT64_C(1) << 32 && box >= 1 && box <= BOX_MAX && step >= 1 &&
           step <= 8;
}

/* Works without a context, as the real one does. */
EMU_EXPORT CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill fill)
{
    EMU_ENTER(cuTensorMapEncodeTiled, 0);
    const uint64_t alignment = interleave == 2 ? 32 : 16;
    EMU_CHECK(map && address && sizes && strides && box && steps, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(rank >= (interleave ? 3 : 1) && rank <= RANK_MAX, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK((uintptr_t)map % 64 == 0 && (uintptr_t)address % alignment == 0,
              CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(type >= 0 && swizzle >= 0 && l2_promotion >= 0 && l2_promotion <= 3 && fill >= 0 &&
                  fill <= 1,
              CUDA_ERROR_INVALID_VALUE);
    memset(map, 0, sizeof *map);
    map->opaque[0] = (uint64_t)MAGIC << 32 | (uint64_t)rank << 16 | (uint64_t)type << 8 |
                     (uint64_t)swizzle << 4 | (uint64_t)interleave << 2 | (uint64_t)fill;
    map->opaque[1] = (uintptr_t)address;
    for (cuuint32_t i = 0; i < rank; i++) {
        EMU_CHECK(is_sound_dimension(sizes[i], box[i], steps[i]), CUDA_ERROR_INVALID_VALUE);
        EMU_CHECK(i + 1 == rank || strides[i] % alignment == 0, CUDA_ERROR_INVALID_VALUE);
        map->opaque[2 + i] = sizes[i];
        map->opaque[7 + i] = i + 1 < rank ? strides[i] : 0;
        map->opaque[12 + i / 2] |= (uint64_t)box[i] << (i % 2 ? 32 : 0);
    }
    return CUDA_SUCCESS;
}
