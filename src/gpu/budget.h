/* Limits how much device memory may be allocated. A measure worker has such a limit, so an
 * application on the same GPU has enough memory while gputune tunes. Contexts, code and kernel
 * stacks are not counted. Not thread-safe. */
#pragma once

#include "base/array.h"
#include "gpu/driver.h"

typedef struct gt_taken {
    uint64_t name; /* address or handle of the allocated memory */
    uint64_t bytes;
} gt_taken;

typedef struct gt_budget {
    uint64_t limit_bytes; /* 0: no limit */
    uint64_t taken_bytes;
    GT_ARRAY(gt_taken) taken;
} gt_budget;

void gt_budget_free(gt_budget *budget);

/* Returns how much device memory an allocation of `bytes` uses. The CUDA driver uses pages of 2 MB
 * if `bytes` is 1 MB or more; smaller allocations share pages. `driver` may be NULL. */
uint64_t gt_budget_cost(const gt_driver *driver, uint64_t bytes);

/* Allocates device memory. Returns CUDA_ERROR_OUT_OF_MEMORY if the budget would be exceeded. */
CUresult gt_device_alloc(const gt_driver *driver, CUdeviceptr *out, size_t bytes);
CUresult gt_device_free(const gt_driver *driver, CUdeviceptr address);
/* Like cuMemGetInfo(), but limits *available to what is left of the budget. */
CUresult gt_device_info(const gt_driver *driver, size_t *available, size_t *total);

/* Returns true if an allocation of `bytes` would not exceed the budget. */
bool gt_budget_has(const gt_driver *driver, uint64_t bytes);
/* Count memory that is not allocated with gt_device_alloc(), such as arrays and mapped memory.
 * `name` is the handle of the memory. gt_budget_take() returns false if the budget would be
 * exceeded or if there is not enough host memory. */
bool gt_budget_take(const gt_driver *driver, uint64_t name, uint64_t bytes);
void gt_budget_give(const gt_driver *driver, uint64_t name);
