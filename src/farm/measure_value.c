/* Values of elements on the host, computed by the same functions as in the service kernels. */
#include "farm/measure_value.h"

#include "base/number.h"
#include "farm/service_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

double gt_bits_to_double(gt_type type, uint64_t bits)
{
    return to_double(type, bits);
}

static uint64_t width_mask(gt_type type)
{
    return UINT64_MAX >> (64 - 8 * gt_type_bytes(type));
}

uint64_t gt_bits_from_double(gt_type type, double value)
{
    return gt_type_is_float(type) ? from_double(type, value)
                                  : (uint64_t)(int64_t)value & width_mask(type);
}

uint64_t gt_number_bits(const gt_number *number)
{
    return gt_type_is_float(number->type) ? gt_bits_from_double(number->type, number->low)
                                          : (uint64_t)number->integer;
}

void gt_scalar_write(void *out, const gt_workload *workload, const gt_scalar *scalar)
{
    memset(out, 0, scalar->bytes);
    for (uint32_t k = 0; k < scalar->number_count; ++k) {
        const gt_number *number = &workload->numbers[scalar->first_number + k];
        const uint64_t bits = gt_number_bits(number);
        memcpy((char *)out + number->offset, &bits, gt_type_bytes(number->type));
    }
}

uint64_t gt_fill_seed(uint64_t seed, uint32_t buffer)
{
    return mix(seed + (buffer + 1) * 0xd1b54a32d192ed03ull);
}

uint64_t gt_fill_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    const gt_service_task task = {.seed = seed,
                                  .count = buffer->elements,
                                  .low = buffer->low,
                                  .high = buffer->high,
                                  .pattern = buffer->fill};
    uint64_t bits = gt_type_is_float(buffer->type)
                        ? from_double(buffer->type, fill_real(&task, index))
                        : fill_whole(&task, index);
    return bits & (buffer->type == GT_TYPE_BOOL ? 1 : width_mask(buffer->type));
}

void gt_fill_host(void *out, const gt_workload *workload, const gt_buffer *buffer, uint64_t seed)
{
    uint32_t bytes = gt_type_bytes(buffer->type);
    uint64_t count = gt_buffer_count(buffer), pitch = gt_buffer_element_bytes(buffer);
    for (uint32_t k = 0; k < buffer->number_count; ++k) {
        const gt_number *number = &workload->numbers[buffer->first_number + k];
        const gt_buffer one = {
            .type = number->type, .fill = number->fill, .low = number->low, .high = number->high};
        bool is_index = number->fill == GT_FILL_INDEX; /* each element has its own index */
        for (uint64_t i = 0; i < count; ++i) {
            uint64_t value = gt_fill_bits(&one, seed, is_index ? i : i * buffer->number_count + k);
            memcpy((char *)out + i * pitch + number->offset, &value, gt_type_bytes(number->type));
        }
    }
    for (uint64_t i = 0; buffer->number_count == 0 && i < buffer->elements; ++i) {
        uint64_t bits = gt_fill_bits(buffer, seed, i);
        memcpy((char *)out + i * bytes, &bits, bytes); /* all CUDA hosts are little-endian */
    }
}

const char *gt_bits_text(char out[40], gt_type type, uint64_t bits)
{
    if (gt_type_is_float(type)) {
        int digits = type == GT_TYPE_F64 ? 17 : type == GT_TYPE_F32 ? 9 : 5;
        gt_snprintf(out, 40, "%.*g", digits, gt_bits_to_double(type, bits));
    } else if (type == GT_TYPE_U64) {
        snprintf(out, 40, "%" PRIu64, bits);
    } else if (type == GT_TYPE_I64) {
        snprintf(out, 40, "%" PRId64, (int64_t)bits);
    } else {
        gt_snprintf(out, 40, "%.0f", gt_bits_to_double(type, bits));
    }
    return out;
}
