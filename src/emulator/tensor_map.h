/* The layout of the 128 bytes of a CUtensorMap in the emulator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { EMU_TENSOR_RANK = 5, EMU_TENSOR_MAGIC = 0x70616d74 };

typedef struct emu_tensor_map {
    /* `rank`: number of dimensions; the others are enumerators of the driver API */
    uint8_t type, rank, swizzle, interleave;
    uint32_t magic;
    uint64_t address;
    uint64_t sizes[EMU_TENSOR_RANK];
    uint64_t strides[EMU_TENSOR_RANK]; /* strides of dimensions 1 to 4, in bytes */
    uint16_t box[EMU_TENSOR_RANK];
    uint8_t steps[EMU_TENSOR_RANK];
    uint8_t fills_nan;
    uint64_t unused[2];
} emu_tensor_map;

_Static_assert(sizeof(emu_tensor_map) == 128, "a CUtensorMap has 128 bytes");

/* Returns the element size of a CUtensorMapDataType, or 0 for an invalid type. */
static inline unsigned emu_tensor_element_bytes(int type)
{
    /* by type: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, flushed f32, tf32, flushed tf32 */
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type >= 0 && type < (int)sizeof bytes ? bytes[type] : 0;
}

/* Returns how many elements the box has in a dimension. */
static inline uint32_t emu_tensor_side(const emu_tensor_map *map, unsigned dimension)
{
    return (map->box[dimension] + map->steps[dimension] - 1u) / map->steps[dimension];
}
