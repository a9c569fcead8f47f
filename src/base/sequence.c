/* Runs loops of launches. */
#include "base/sequence.h"

#include <string.h>

/* More items than this, and this for each launch, are those of a loop that does not end. */
enum { ITEMS_MAX = 1 << 16, ITEMS_OF_LAUNCH = 16 };

void gt_iteration_begin(gt_iteration *run)
{
    *run = (gt_iteration){.step = 0};
    for (int i = 0; i < GT_PLACES_MAX; i++) {
        run->places[i] = (uint8_t)i;
    }
}

/* Sets a grid, a block or a number of launches. A value that is too large becomes one that is still
 * too large. */
static void set(uint32_t *out, gt_iteration *run, int64_t value, gt_sequence_error error)
{
    run->error = value < 1 ? error : GT_SEQUENCE_FINE;
    *out = value < 1 ? 1 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Carries out one item that launches nothing. */
static void carry_out(gt_iteration *run, const gt_sequence_item *item, int64_t value)
{
    uint8_t place;
    switch (item->kind) {
    case GT_SEQUENCE_COUNTER:
        run->counters[item->index] = value;
        break;
    case GT_SEQUENCE_UNLESS:
        run->at = value ? run->at : item->target;
        break;
    case GT_SEQUENCE_GOTO:
        run->at = item->target;
        break;
    case GT_SEQUENCE_GRID:
        set(&run->grid[item->index], run, value, GT_SEQUENCE_NO_GRID);
        break;
    case GT_SEQUENCE_BLOCK:
        set(&run->block[item->index], run, value, GT_SEQUENCE_NO_BLOCK);
        break;
    case GT_SEQUENCE_TIMES:
        set(&run->times, run, value, GT_SEQUENCE_NO_TIMES);
        break;
    case GT_SEQUENCE_VALUE:
        run->values[item->index] = value;
        break;
    default:
        place = run->places[item->index];
        run->places[item->index] = run->places[item->target];
        run->places[item->target] = place;
    }
}

static bool launch(gt_iteration *run, uint32_t step)
{
    run->step = step;
    uint64_t all = (uint64_t)run->launches + (run->times ? run->times : 1);
    run->error = all > GT_SEQUENCE_LAUNCHES ? GT_SEQUENCE_TOO_MANY : GT_SEQUENCE_FINE;
    run->launches = (uint32_t)all;
    return !run->error;
}

bool gt_iteration_next(gt_iteration *run, const gt_sequence *sequence)
{
    memset(run->grid, 0, sizeof run->grid);
    memset(run->block, 0, sizeof run->block);
    run->times = 0;
    while (!run->error && run->at < sequence->item_count) {
        const gt_sequence_item *item = &sequence->items[run->at++];
        int64_t value = 0;
        if (item->count && gt_code_run(&value, sequence->code + item->first, (int)item->count - 1,
                                       run->counters)) {
            run->error = GT_SEQUENCE_UNCOMPUTED;
        } else if (item->kind == GT_SEQUENCE_LAUNCH) {
            return launch(run, item->index);
        } else {
            carry_out(run, item, value);
        }
        if (!run->error && ++run->items > ITEMS_MAX + ITEMS_OF_LAUNCH * run->launches) {
            run->error = GT_SEQUENCE_TOO_MANY;
        }
    }
    return false;
}
