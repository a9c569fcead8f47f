/* Frames of the functions that a kernel calls. */
#include "emulator/check.h"
#include "emulator/program.h"

#include <stdlib.h>

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

void emu_frame_clear(emu_frame *frame)
{
    memset(frame->registers, 0, frame->function->register_bytes);
    memset(frame->registers + EMU_TRUE_SLOT, 0xff, 4);
    for (size_t i = 0; frame->unset && i < frame->function->source->register_count; i++)
        frame->unset[i] = (emu_unset){.lanes = UINT32_MAX};
}

emu_frame *emu_frame_new(emu_warp *warp, const emu_function *function, emu_frame *parent)
{
    size_t head = round_up(sizeof(emu_frame)), registers = round_up(function->register_bytes);
    size_t params = round_up((size_t)function->param_bytes * EMU_WARP);
    uint8_t *memory = aligned_alloc(64, head + registers + params);
    if (!memory)
        return NULL;
    emu_frame *frame = (emu_frame *)memory;
    *frame = (emu_frame){.parent = parent,
                         .function = function,
                         .registers = memory + head,
                         .params = memory + head + registers};
    if (warp->worker->check)
        frame->unset = calloc(function->source->register_count + 1, sizeof *frame->unset);
    emu_frame_clear(frame);
    if (parent) {
        frame->local_base = parent->local_base + parent->function->local_bytes;
        frame->depth = parent->depth + 1;
        frame->return_pc = warp->pc;
    }
    return frame;
}

void emu_frame_free(emu_frame *frame)
{
    if (frame)
        free(frame->unset);
    free(frame);
}

void emu_frame_return(emu_frame *frame, uint32_t mask)
{
    frame->inside &= ~mask;
    if (!frame->inside && frame->parent) /* the frame without a parent belongs to the warp */
        emu_frame_free(frame);
}

void emu_frame_exit(emu_frame *frame, uint32_t mask)
{
    while (frame) {
        emu_frame *parent = frame->parent;
        emu_frame_return(frame, mask);
        frame = parent;
    }
}

void emu_frames_free(emu_warp *warp)
{
    for (unsigned i = 0; i < warp->split_count; i++)
        emu_frame_exit(warp->splits[i].frame, warp->splits[i].mask);
    warp->split_count = 0;
}
