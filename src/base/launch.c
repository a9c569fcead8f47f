/* Copies structs with device addresses, iterates over a launch's kernels, and formats shapes. */
#include "base/launch.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* Appends an extent such as "128x8", without trailing dimensions of 1. */
static void append_extent(char out[GT_SHAPES_TEXT], const uint32_t extent[3], const char *mark)
{
    size_t length = strlen(out);
    int last = extent[2] > 1 ? 2 : extent[1] > 1 ? 1 : 0;
    for (int i = 0; i <= last; i++) {
        (void)gt_snprintf(out + length, GT_SHAPES_TEXT - length, "%s%u", i ? "x" : mark, extent[i]);
        length += strlen(out + length);
    }
}

gt_launch_view gt_launch_view_of(const gt_launch *launch)
{
    return (gt_launch_view){.step_count = launch->step_count,
                            .carveout_kb = launch->carveout_kb,
                            .block_count = launch->block_count,
                            .argument_count = launch->argument_count,
                            .parameter_count = launch->parameter_count,
                            .held_count = launch->held_count,
                            .map_count = launch->map_count,
                            .texture_count = launch->texture_count,
                            .l2 = launch->l2,
                            .parameters = launch->parameters,
                            .steps = launch->steps,
                            .blocks = launch->blocks,
                            .maps = launch->maps,
                            .textures = launch->textures,
                            .sequence = launch->sequence.item_count ? &launch->sequence : NULL};
}

static const void *pack_array(char **room, const void *array, size_t bytes)
{
    char *copy = *room;
    memcpy(copy, array, bytes);
    *room += bytes;
    return copy;
}

gputune_status gt_launch_pack(gt_launch_view **out, const gt_launch *launch)
{
    const gt_launch_view view = gt_launch_view_of(launch);
    /* arrays with 8-byte elements come first, for alignment */
    const size_t parameters = view.parameter_count * sizeof *view.parameters,
                 maps = view.map_count * sizeof *view.maps,
                 textures = view.texture_count * sizeof *view.textures,
                 sequence = view.sequence ? sizeof *view.sequence : 0,
                 steps = view.step_count * sizeof *view.steps,
                 blocks = view.block_count * sizeof *view.blocks;
    gt_launch_view *packed =
        malloc(sizeof *packed + parameters + maps + textures + sequence + steps + blocks);
    GT_TRY(gt_allocated(packed));
    char *room = (char *)(packed + 1);
    *packed = view;
    packed->parameters = pack_array(&room, launch->parameters, parameters);
    packed->maps = pack_array(&room, launch->maps, maps);
    packed->textures = pack_array(&room, launch->textures, textures);
    if (sequence) {
        packed->sequence = pack_array(&room, &launch->sequence, sequence);
    }
    packed->steps = pack_array(&room, launch->steps, steps);
    packed->blocks = pack_array(&room, launch->blocks, blocks);
    *out = packed;
    return GPUTUNE_OK;
}

/* Returns true if the parameter is a struct that contains a device address. */
static bool holds_address(const gt_launch_view *launch, uint32_t parameter)
{
    bool any = false;
    for (uint32_t i = 0; i < launch->parameter_count && !any; i++) {
        any = launch->parameters[i].holder == parameter + 1;
    }
    return any;
}

void gt_launch_take_all(gt_launch *launch)
{
    gt_kernel_step *step = &launch->steps[0];
    step->parameter_count = 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        step->parameters[step->parameter_count] = i;
        step->parameter_count += !launch->parameters[i].holder;
    }
}

gputune_status gt_launch_count_held(gt_launch *launch)
{
    const gt_launch_view view = gt_launch_view_of(launch);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        bytes += holds_address(&view, i) ? launch->parameters[i].bytes : 0;
        launch->held_count += launch->parameters[i].holder != 0;
    }
    GT_REFUSE(bytes > GT_HELD_BYTES, GPUTUNE_EUNSUPPORTED,
              "%s: its structs with pointers have %u bytes; expected at most %d",
              launch->steps[0].entry, bytes, GT_HELD_BYTES);
    return GPUTUNE_OK;
}

void gt_launch_hold(void *parameters[GT_PARAMETER_MAX], unsigned char room[GT_HELD_BYTES],
                    const gt_launch_view *launch)
{
    for (uint32_t i = 0; i < launch->parameter_count && launch->held_count; i++) {
        if (holds_address(launch, i)) {
            memcpy(room, parameters[i], launch->parameters[i].bytes);
            parameters[i] = room;
            room += launch->parameters[i].bytes;
        }
    }
    for (uint32_t i = 0; i < launch->parameter_count && launch->held_count; i++) {
        const gt_parameter *one = &launch->parameters[i];
        if (one->holder) {
            memcpy((char *)parameters[one->holder - 1] + one->offset, parameters[i], one->bytes);
        }
    }
}

/* A sequence may execute up to ITEMS_MAX items, plus ITEMS_OF_LAUNCH for each launch. */
enum { ITEMS_MAX = 1 << 16, ITEMS_OF_LAUNCH = 16 };

void gt_iteration_begin(gt_iteration *run)
{
    *run = (gt_iteration){.step = 0};
    for (int i = 0; i < GT_PLACES_MAX; i++) {
        run->places[i] = (uint8_t)i;
    }
}

/* Reduces values above UINT32_MAX to UINT32_MAX, which later checks refuse. */
static void set_shape(uint32_t *out, gt_iteration *run, int64_t value, gt_sequence_error error)
{
    run->error = value < 1 ? error : GT_SEQUENCE_FINE;
    *out = value < 1 ? 1 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void execute_item(gt_iteration *run, const gt_sequence_item *item, int64_t value)
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
        set_shape(&run->grid[item->index], run, value, GT_SEQUENCE_NO_GRID);
        break;
    case GT_SEQUENCE_BLOCK:
        set_shape(&run->block[item->index], run, value, GT_SEQUENCE_NO_BLOCK);
        break;
    case GT_SEQUENCE_TIMES:
        set_shape(&run->times, run, value, GT_SEQUENCE_NO_TIMES);
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

static bool find_next_launch(gt_iteration *run, const gt_sequence *sequence)
{
    while (!run->error && run->at < sequence->item_count) {
        const gt_sequence_item *item = &sequence->items[run->at++];
        int64_t value = 0;
        if (item->count && gt_code_run(&value, sequence->code + item->first, (int)item->count - 1,
                                       run->counters)) {
            run->error = GT_SEQUENCE_UNCOMPUTED;
        } else if (item->kind == GT_SEQUENCE_LAUNCH) {
            run->step = item->index;
            return true;
        } else {
            execute_item(run, item, value);
        }
        if (!run->error && ++run->items > ITEMS_MAX + ITEMS_OF_LAUNCH * run->launches) {
            run->error = GT_SEQUENCE_TOO_MANY;
        }
    }
    return false;
}

/* Like gt_launch_next(), but does not skip launches with an empty grid. */
static bool next_launch(gt_iteration *run, const gt_launch_view *launch)
{
    memset(run->grid, 0, sizeof run->grid);
    memset(run->block, 0, sizeof run->block);
    run->times = 0;
    const bool loops = launch->sequence != NULL;
    run->step = loops ? run->step : run->at++;
    if (loops ? !find_next_launch(run, launch->sequence) : run->step >= launch->step_count) {
        return false;
    }
    const gt_kernel_step *step = &launch->steps[run->step];
    run->times = run->times ? run->times : step->times;
    for (int i = 0; i < 3; i++) {
        run->grid[i] = run->grid[i] ? run->grid[i] : step->grid[i];
        run->block[i] = run->block[i] ? run->block[i] : step->block[i];
    }
    run->launches += run->times;
    run->error = loops && run->launches > GT_SEQUENCE_LAUNCHES ? GT_SEQUENCE_TOO_MANY : run->error;
    return !run->error;
}

bool gt_launch_next(gt_iteration *run, const gt_launch_view *launch)
{
    bool has = next_launch(run, launch);
    while (has && (!run->grid[0] || !run->grid[1] || !run->grid[2])) {
        has = next_launch(run, launch);
    }
    return has;
}

uint64_t gt_launch_kernels(const gt_launch *launch)
{
    const gt_launch_view view = gt_launch_view_of(launch);
    gt_iteration run;
    uint64_t count = 0;
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, &view)) {
        count += run.times;
    }
    return count;
}

typedef struct step_summary {
    uint32_t times, first[3], last[3];
} step_summary;

static void list_shapes(char out[GT_SHAPES_TEXT], const gt_launch *launch, bool grids)
{
    const gt_launch_view view = gt_launch_view_of(launch);
    step_summary all[GT_STEPS_MAX] = {{0}};
    gt_iteration run;
    gt_iteration_begin(&run);
    while (next_launch(&run, &view)) {
        step_summary *one = &all[run.step];
        memcpy(one->times ? one->last : one->first, run.grid, sizeof run.grid);
        memcpy(one->last, run.grid, sizeof run.grid);
        one->times += run.times;
    }
    out[0] = '\0';
    for (uint32_t i = 0; i < launch->step_count; i++) {
        if (all[i].times) {
            append_extent(out, grids ? all[i].first : launch->steps[i].block, out[0] ? " + " : "");
        }
        if (grids && memcmp(all[i].first, all[i].last, sizeof all[i].last) != 0) {
            append_extent(out, all[i].last, "..");
        }
        size_t length = strlen(out);
        if (grids && all[i].times > 1) {
            (void)gt_snprintf(out + length, GT_SHAPES_TEXT - length, " (%u times)", all[i].times);
        }
    }
}

void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    list_shapes(out, launch, true);
}

void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    list_shapes(out, launch, false);
}

gputune_status gt_image_copy(gt_image *out, const void *data, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    GT_TRY(gt_allocated(copy));
    if (bytes) {
        memcpy(copy, data, bytes);
    }
    copy[bytes] = '\0';
    *out = (gt_image){copy, bytes};
    return GPUTUNE_OK;
}
