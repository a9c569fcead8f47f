/* Runs the same PTX with the same inputs on two drivers. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"

enum { SIDE_GPU, SIDE_EMULATOR, SIDE_COUNT };

/* One driver with its device's primary context. */
typedef struct side {
    const gt_driver *driver;
    gt_device device;
    CUcontext context;
} side;

/* Opens device 0 of a driver ("cuda", "emu:h200") and retains its primary context. */
gputune_status side_open(side *out, const char *driver);
/* Makes the side's context current on this thread. */
gputune_status side_enter(const side *one);

/* One kernel and its launch; its parameters are four addresses: results, then inputs. */
typedef struct side_run {
    const char *ptx, *entry;
    uint32_t grid, block, cluster; /* cluster: blocks of a cluster; 0 or 1: no cluster */
    uint32_t shared_bytes;
    const void *inputs[3]; /* NULL: no such input */
    uint64_t input_bytes;
    uint64_t result_bytes; /* bytes of the results, which are zeroed before the launch */
} side_run;

/* Loads and launches the kernel, waits, and copies the results to `results` (result_bytes).
 * Releases everything. */
gputune_status side_execute(const side *one, const side_run *run, void *results);
