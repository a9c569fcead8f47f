/* Runs PTX on a GPU or on the emulator, to compare their results. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"

enum { SIDE_GPU, SIDE_EMULATOR, SIDE_COUNT };

/* A driver and the primary context of its device. */
typedef struct side {
    const gt_driver *driver;
    gt_device device;
    CUcontext context;
} side;

/* Opens device 0 of a driver ("cuda", "emu:h200") and retains its primary context. */
gputune_status side_open(side *out, const char *driver);
/* Makes a side's context current on this thread. */
gputune_status side_enter(const side *one);

/* A kernel and its launch. The parameters are the addresses of the results and of three inputs. */
typedef struct side_run {
    const char *ptx, *entry;
    uint32_t grid, block, cluster; /* cluster: blocks per cluster, 0 or 1 without clusters */
    uint32_t shared_bytes;
    const void *inputs[3]; /* unused inputs are NULL */
    uint64_t input_bytes;
    uint64_t result_bytes; /* size of the results, which are zeroed before the launch */
} side_run;

/* Loads and launches the kernel, waits for it, copies result_bytes bytes to `results`, and releases
 * everything. */
gputune_status side_execute(const side *one, const side_run *run, void *results);
