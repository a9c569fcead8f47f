/* Runs loops of launches. */
#include "base/sequence.h"

#include <string.h>

/* More items than this, and this for each launch, are those of a loop that does not end. */
enum { ITEMS_MAX = 1 << 16, ITEMS_OF_LAUNCH = 16 };

/* A tree of fewer operations than GT_SEQUENCE_TREE. */
static bool is_sound_code(const gt_sequence *sequence, const gt_sequence_item *item)
{
    uint32_t begin[GT_SEQUENCE_TREE] = {0}; /* where the operands of each begin */
    bool sound = item->first <= sequence->code_count &&
                 item->count <= sequence->code_count - item->first &&
                 item->count < GT_SEQUENCE_TREE;
    const gt_instruction *code = sequence->code + (sound ? item->first : 0);
    for (uint32_t at = 0; sound && at < item->count; at++) {
        const gt_operation operation = code[at].operation;
        const int operands = gt_operation_operands(operation);
        const int64_t target = code[at].target;
        sound = (unsigned)operation <= GT_DO_LAST && (operands == 0 || at > 0) &&
                (operation != GT_DO_SLOT || (target >= 0 && target < GT_COUNTERS_MAX)) &&
                (operands < 2 || (target >= 0 && target + 1 == begin[at - 1])) &&
                (operation != GT_DO_CHOOSE || code[at - 1].operation == GT_DO_ELSE);
        begin[at] = !sound || operands == 0 ? at : begin[operands == 1 ? at - 1 : target];
    }
    return sound && (item->count == 0 || begin[item->count - 1] == 0);
}

static bool is_sound_item(const gt_sequence *sequence, const gt_sequence_item *item, uint32_t steps,
                          uint32_t parameters)
{
    const uint32_t limits[] = {[GT_SEQUENCE_COUNTER] = GT_COUNTERS_MAX,
                               [GT_SEQUENCE_UNLESS] = 1,
                               [GT_SEQUENCE_GOTO] = 1,
                               [GT_SEQUENCE_GRID] = 3,
                               [GT_SEQUENCE_BLOCK] = 3,
                               [GT_SEQUENCE_TIMES] = 1,
                               [GT_SEQUENCE_VALUE] = GT_VALUES_MAX,
                               [GT_SEQUENCE_LAUNCH] = steps,
                               [GT_SEQUENCE_SWAP] = parameters};
    return (unsigned)item->kind <= GT_SEQUENCE_SWAP && item->index < limits[item->kind] &&
           item->target <=
               (item->kind == GT_SEQUENCE_SWAP ? parameters - 1 : sequence->item_count) &&
           is_sound_code(sequence, item);
}

bool gt_sequence_is_sound(const gt_sequence *sequence, uint32_t steps, uint32_t parameters)
{
    bool sound = sequence->item_count <= GT_SEQUENCE_ITEMS &&
                 sequence->code_count <= GT_SEQUENCE_CODE && parameters <= GT_PLACES_MAX;
    for (uint32_t i = 0; sound && i < sequence->item_count; i++) {
        sound = is_sound_item(sequence, &sequence->items[i], steps, parameters);
    }
    return sound;
}

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
