/* Device memory: one reserved address range, in which device addresses are host addresses.
 *
 * An allocation takes whole granules of 64 KiB, with an unused one between any two. So the owner of
 * an address is found with two loads, and an access one byte outside is detected. The range is
 * backed by one sparse memory file, so other processes can map an allocation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum emu_memory_kind {
    EMU_MEMORY_DEVICE = 1, /* cuMemAlloc */
    EMU_MEMORY_HOST,       /* pinned host memory allocated here */
    EMU_MEMORY_REGISTERED, /* pinned host memory of the caller, outside the range */
    EMU_MEMORY_MODULE,     /* a module's variables */
    EMU_MEMORY_IMPORT,     /* another process's allocation */
    EMU_MEMORY_VIEW        /* a second, read-only mapping of an allocation of this process */
} emu_memory_kind;

typedef struct emu_allocation {
    uint64_t base;
    size_t bytes;
    emu_memory_kind kind;
    void *owner; /* its context */
    uint64_t id; /* unique in the process */
    bool read_only;
} emu_allocation;

/* The data with which another process maps an allocation; fits a 64-byte handle. */
typedef struct emu_memory_share {
    uint64_t magic;
    int32_t process, file;
    uint64_t offset, bytes, token;
} emu_memory_share;

/* Reserves the range. `limit_bytes` is the maximum size of all allocations together. Idempotent.
 * Returns 0 or CUDA_ERROR_OUT_OF_MEMORY. */
int emu_memory_open(size_t limit_bytes);

/* Allocates zeroed memory aligned to 64 KiB. 0 bytes is CUDA_ERROR_INVALID_VALUE; above the limit
 * CUDA_ERROR_OUT_OF_MEMORY. Any thread. */
int emu_memory_allocate(uint64_t *out, size_t bytes, emu_memory_kind kind, void *owner);

/* Releases the allocation of that kind at `base`; CUDA_ERROR_INVALID_VALUE if there is none. It
 * must not be in use. */
int emu_memory_release(uint64_t base, emu_memory_kind kind);

/* Releases all allocations of `owner`, a context that ends. */
void emu_memory_release_owner(void *owner);

/* Finds the allocation that contains `address`. Lock-free inside the range; any thread. */
bool emu_memory_lookup(emu_allocation *out, uint64_t address);

/* Zeroes memory within one allocation, or outside of all. For a large range the cost depends on the
 * part that was written, not on its size. Any thread. */
void emu_memory_clear(void *at, size_t bytes);

/* Returns true if a large range of this process's own memory is known to be all zeros, because it
 * was not written since it was allocated or cleared. Any thread. */
bool emu_memory_is_clear(const void *at, size_t bytes);

/* Names the allocation that contains `address` in messages, with up to 63 characters; offsets in
 * them count from `address`. Returns false if there is none. Any thread. */
bool emu_memory_name(uint64_t address, const char *name);

/* Returns true if [address, address + bytes) is within one allocation. */
bool emu_memory_covers(uint64_t address, size_t bytes);

/* Describes what `address` is near to ("4 bytes past the end of ...", "in freed memory"), for a
 * fault's message. */
void emu_memory_describe(char *out, size_t out_bytes, uint64_t address);

size_t emu_memory_in_use(void);
size_t emu_memory_limit(void);

/* Share memory between processes of this machine. Export describes the allocation that contains
 * `address`; its offset is lost, as on hardware. Import maps it: CUDA_ERROR_INVALID_CONTEXT in the
 * same process, CUDA_ERROR_INVALID_VALUE if it no longer exists or was forged. */
int emu_memory_export(emu_memory_share *out, uint64_t address);
int emu_memory_import(uint64_t *out, const emu_memory_share *share, void *owner);

/* Maps the allocation at `base` a second time, read-only. CUDA_ERROR_INVALID_VALUE if none begins
 * there, CUDA_ERROR_NOT_SUPPORTED if memory cannot be mapped twice. */
int emu_memory_view(uint64_t *out, uint64_t base, void *owner);
