/* Counts the device memory that is allocated, and limits it. */
#include "gpu/budget.h"

enum { PAGE_BYTES = 2 << 20, SMALL_BYTES = 1 << 20, SMALL_STEP = 512 };

void gt_budget_free(gt_budget *budget)
{
    gt_array_free(&budget->taken);
    *budget = (gt_budget){0};
}

uint64_t gt_budget_cost(const gt_driver *driver, uint64_t bytes)
{
    const uint64_t step = !driver || driver->emulated ? 1
                          : bytes < SMALL_BYTES       ? SMALL_STEP
                                                      : PAGE_BYTES;
    return (bytes + step - 1) / step * step;
}

static uint64_t left_of(const gt_budget *budget)
{
    return budget->taken_bytes < budget->limit_bytes ? budget->limit_bytes - budget->taken_bytes
                                                     : 0;
}

bool gt_budget_has(const gt_driver *driver, uint64_t bytes)
{
    const gt_budget *budget = driver->budget;
    return !budget || !budget->limit_bytes || gt_budget_cost(driver, bytes) <= left_of(budget);
}

bool gt_budget_take(const gt_driver *driver, uint64_t name, uint64_t bytes)
{
    gt_budget *budget = driver->budget;
    const gt_taken taken = {name, gt_budget_cost(driver, bytes)};
    if (!gt_budget_has(driver, bytes) ||
        (budget && gt_array_push(&budget->taken, taken) != GPUTUNE_OK)) {
        return false;
    }
    if (budget) {
        budget->taken_bytes += taken.bytes;
    }
    return true;
}

void gt_budget_give(const gt_driver *driver, uint64_t name)
{
    gt_budget *budget = driver->budget;
    for (size_t i = budget ? budget->taken.count : 0; i-- > 0;) { /* newest first */
        gt_taken *taken = &budget->taken.items[i];
        if (taken->name == name) {
            budget->taken_bytes -= taken->bytes;
            *taken = budget->taken.items[--budget->taken.count];
            return;
        }
    }
}

CUresult gt_device_alloc(const gt_driver *driver, CUdeviceptr *out, size_t bytes)
{
    CUdeviceptr address = 0;
    if (!gt_budget_has(driver, bytes)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const CUresult result = driver->MemAlloc(&address, bytes);
    if (result == CUDA_SUCCESS && !gt_budget_take(driver, address, bytes)) {
        driver->MemFree(address);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (result == CUDA_SUCCESS) {
        *out = address;
    }
    return result;
}

CUresult gt_device_free(const gt_driver *driver, CUdeviceptr address)
{
    gt_budget_give(driver, address);
    return driver->MemFree(address);
}

CUresult gt_device_info(const gt_driver *driver, size_t *available, size_t *total)
{
    const gt_budget *budget = driver->budget;
    const CUresult result = driver->MemGetInfo(available, total);
    if (result == CUDA_SUCCESS && budget && budget->limit_bytes && left_of(budget) < *available) {
        *available = left_of(budget);
    }
    return result;
}
