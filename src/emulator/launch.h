/* A kernel launch, checked as the driver checks it, as a command of a stream. */
#ifndef EMU_LAUNCH_H
#define EMU_LAUNCH_H

#include "emulator/module.h"
#include "emulator/queue.h"

typedef struct emu_launch_request {
    CUfunction function; /* or a CUkernel */
    unsigned grid[3], block[3];
    unsigned cluster[3]; /* zeros: the kernel's own */
    unsigned dynamic_shared_bytes;
    void **params;        /* one pointer a parameter, or */
    void **extra;         /* the block of parameters as a whole */
    int carveout_percent; /* -1: the function's preference */
} emu_launch_request;

/* Refuses as hardware does: 1 for dimensions or shared memory out of range and for missing
 * parameters, 400 for no function, 701 for too many registers, 801 for more than 4096 bytes of
 * parameters on a driver before 12.1, 912 for a cluster that the device, the grid or the function's
 * attributes do not allow. */
CUresult emu_command_kernel(emu_command **out, const emu_launch_request *request);

#endif
