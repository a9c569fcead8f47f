/* Buffers of a launch that must lie apart. */
#include "api/overlap.h"

#include "base/number.h"

#include <stdlib.h>

typedef struct place {
    const gt_buffer *buffer; /* NULL: a scalar */
    uint32_t index;          /* of the buffer */
} place;

static place place_at(const gt_workload *workload, uint32_t argument)
{
    uint32_t index = workload->arguments[argument].index;
    return workload->arguments[argument].is_buffer ? (place){&workload->buffers[index], index}
                                                   : (place){NULL, 0};
}

static bool is_written(place at)
{
    return at.buffer && at.buffer->direction != GT_IN;
}

/* Whether the two are a pair: of two that are written, in the order of the arguments. */
static bool are_paired(const gt_workload *workload, uint32_t written, uint32_t other)
{
    place a = place_at(workload, written), b = place_at(workload, other);
    return written != other && is_written(a) && b.buffer && (!is_written(b) || written < other);
}

static gt_pair pair_of(const gt_workload *workload, uint32_t written, uint32_t other)
{
    place a = place_at(workload, written), b = place_at(workload, other);
    return (gt_pair){.written_bytes = a.buffer->bytes,
                     .other_bytes = b.buffer->bytes,
                     .written = (uint8_t)(workload->block_count + written),
                     .other = (uint8_t)(workload->block_count + other),
                     .may_coincide = a.buffer->in_place == b.index + 1,
                     .can_be_declared = a.buffer->direction == GT_OUT &&
                                        b.buffer->direction == GT_IN &&
                                        a.buffer->bytes == b.buffer->bytes};
}

static uint32_t list(gt_pair *items, const gt_workload *workload)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        for (uint32_t k = 0; k < workload->argument_count; k++) {
            if (are_paired(workload, i, k)) {
                if (items) {
                    items[count] = pair_of(workload, i, k);
                }
                count++;
            }
        }
    }
    return count;
}

gputune_status gt_pairs_make(gt_pairs *out, const gt_workload *workload)
{
    _Static_assert(GT_BLOCK_MAX + GT_PARAMETER_MAX <= UINT8_MAX, "a place is a byte");
    gt_pairs pairs = {.count = list(NULL, workload)};
    pairs.items = malloc((pairs.count + 1) * sizeof *pairs.items);
    GT_TRY(gt_allocated(pairs.items));
    list(pairs.items, workload);
    *out = pairs;
    return GPUTUNE_OK;
}

void gt_pairs_free(gt_pairs *pairs)
{
    free(pairs->items);
    *pairs = (gt_pairs){0};
}

gputune_status gt_pair_judge(const gt_pair *pair, const char *kernel, const char *written,
                             const char *other, const void *const *items)
{
    uintptr_t a = *(const uintptr_t *)items[pair->written];
    uintptr_t b = *(const uintptr_t *)items[pair->other];
    if (!a || !b || (pair->may_coincide && a == b)) {
        return GPUTUNE_OK;
    }
    char remedy[2 * GT_NAME_MAX + 64] = "";
    if (pair->may_coincide) {
        gt_snprintf(remedy, sizeof remedy, ", or the same address for both");
    } else if (pair->can_be_declared) {
        gt_snprintf(remedy, sizeof remedy, ", or put in_place(%s : %s) into the template", written,
                    other);
    }
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: %s, which is written (%llu bytes at %p), overlaps with %s (%llu bytes at "
                   "%p), and was proved apart from it; pass separate buffers%s",
                   kernel, written, (unsigned long long)pair->written_bytes, (void *)a, other,
                   (unsigned long long)pair->other_bytes, (void *)b, remedy);
}
