/* Limits the device memory that users of a driver may allocate. A measure worker has such a limit,
 * so tuning on a GPU that also runs a model leaves enough memory to the model. Contexts, code and
 * kernel stacks do not count. Not thread-safe. */
#pragma once

#include "base/array.h"
#include "gpu/driver.h"

typedef struct gt_taken {
    uint64_t name; /* address or handle of the allocation */
    uint64_t bytes;
} gt_taken;

typedef struct gt_budget {
    uint64_t limit_bytes; /* 0: no limit */
    uint64_t taken_bytes;
    GT_ARRAY(gt_taken) taken;
} gt_budget;

void gt_budget_free(gt_budget *budget);

/* Returns how much device memory an allocation of `bytes` uses. A CUDA driver uses 2 MB pages for
 * allocations of 1 MB or more; smaller allocations share pages. `driver` may be NULL. */
uint64_t gt_budget_cost(const gt_driver *driver, uint64_t bytes);

/* Allocates device memory. CUDA_ERROR_OUT_OF_MEMORY if it exceeds the driver's budget. */
CUresult gt_device_alloc(const gt_driver *driver, CUdeviceptr *out, size_t bytes);
CUresult gt_device_free(const gt_driver *driver, CUdeviceptr address);
/* Like cuMemGetInfo(), but *available is at most the rest of the budget. */
CUresult gt_device_info(const gt_driver *driver, size_t *available, size_t *total);

/* Returns true if an allocation of `bytes` fits into the budget. */
bool gt_budget_has(const gt_driver *driver, uint64_t bytes);
/* These count memory that is not allocated by gt_device_alloc(), such as arrays and mapped memory.
 * `name` is the memory's handle. gt_budget_take() returns false if the budget would be exceeded, or
 * if host memory runs out. */
bool gt_budget_take(const gt_driver *driver, uint64_t name, uint64_t bytes);
void gt_budget_give(const gt_driver *driver, uint64_t name);
