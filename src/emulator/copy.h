/* Copies and fills as commands of a stream. */
#ifndef EMU_COPY_H
#define EMU_COPY_H

#include "emulator/queue.h"

/* A fill of `count` elements of `width` bytes (1, 2 or 4). 1 for a range outside of one allocation,
 * a misaligned address or another width; 2 when memory runs out. */
CUresult emu_command_set(emu_command **out, CUdeviceptr to, unsigned value, size_t width,
                         size_t count);

#endif
