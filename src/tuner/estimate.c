/* Ranks variants without measuring, from the launch and the compiler's figures. */
#include "tuner/estimate.h"

static int64_t volume(const uint32_t size[3])
{
    return (int64_t)size[0] * size[1] * size[2];
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources)
{
    int64_t threads = volume(step->block);
    int64_t warps = (threads + device->warp_size - 1) / device->warp_size;
    int64_t by_warp = (resources->registers * (int64_t)device->warp_size + 255) / 256 * 256;
    int64_t shared = (int64_t)resources->static_shared_bytes + step->shared_bytes +
                     device->shared_reserved_per_block_bytes;
    int64_t blocks =
        least(device->max_blocks_per_sm, device->max_threads_per_sm / (warps * device->warp_size));
    if (by_warp) {
        blocks = least(blocks, device->registers_per_sm / (by_warp * warps));
    }
    return (int)least(blocks, shared ? device->shared_per_sm_bytes / shared : blocks);
}

double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes)
{
    /* 4.8 TB/s over 132 multiprocessors with 800 ns of latency: 29 KB each, taken for all GPUs */
    static const double bytes_to_hide = 29e3;
    int resident = gt_resident_blocks(device, step, resources);
    if (!resident) {
        return 0;
    }
    double blocks = (double)volume(step->grid);
    double slots = (double)resident * device->sm_count;
    double held = blocks < slots ? blocks / device->sm_count : resident;
    double in_flight = held * (double)volume(step->block) * access_bytes;
    double hidden = in_flight < bytes_to_hide ? in_flight / bytes_to_hide : 1;
    double waves = blocks / slots;
    int64_t whole = (int64_t)waves + ((double)(int64_t)waves < waves);
    double filled = waves < 1 ? 1 : waves / (double)whole;
    return hidden * filled / (1 + resources->spill_bytes / 64.0);
}
