/* Device memory in one reserved range of addresses, which are both device and host addresses.
 *
 * An allocation occupies whole granules of 64 KiB, with unused granules between allocations. So
 * finding the allocation of an address takes two loads, and an access outside of all allocations is
 * detected. A sparse memory file backs the range, so other processes can map allocations. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum emu_memory_kind {
    EMU_MEMORY_DEVICE = 1, /* cuMemAlloc */
    EMU_MEMORY_HOST,       /* pinned host memory from cuMemAllocHost */
    EMU_MEMORY_REGISTERED, /* pinned host memory of the application */
    EMU_MEMORY_MODULE,     /* a module's variables */
    EMU_MEMORY_IMPORT,     /* another process's allocation */
    EMU_MEMORY_VIEW        /* a read-only second mapping of an allocation */
} emu_memory_kind;

typedef struct emu_allocation {
    uint64_t base;
    size_t bytes;
    emu_memory_kind kind;
    void *owner; /* the context that owns the memory */
    uint64_t id;
    bool read_only;
} emu_allocation;

/* The data that another process needs to map an allocation. */
typedef struct emu_memory_share {
    uint64_t magic;
    int32_t process, file;
    uint64_t offset, bytes, token;
} emu_memory_share;

/* Reserves the address range, and limits the total size of allocations to `limit_bytes`. Later
 * calls only change the limit. Fails with CUDA_ERROR_OUT_OF_MEMORY. */
int emu_memory_open(size_t limit_bytes);

/* Allocates zeroed memory, aligned to 64 KiB. Fails with CUDA_ERROR_INVALID_VALUE for 0 bytes,
 * CUDA_ERROR_OUT_OF_MEMORY above the limit. Thread-safe. */
int emu_memory_allocate(uint64_t *out, size_t bytes, emu_memory_kind kind, void *owner);

/* Releases the allocation of that kind that begins at `base`; it must not be in use. Fails with
 * CUDA_ERROR_INVALID_VALUE if there is none. */
int emu_memory_release(uint64_t base, emu_memory_kind kind);

/* Releases all memory of `owner`, a context that is being destroyed. */
void emu_memory_release_owner(void *owner);

/* Finds the allocation of `address`. Thread-safe; locks only outside the reserved range. */
bool emu_memory_lookup(emu_allocation *out, uint64_t address);

/* Zeroes memory that is within one allocation or outside of all allocations. If the range is large,
 * the time depends on how much of it was written. Thread-safe. */
void emu_memory_clear(void *at, size_t bytes);

/* Returns true if a range of this process's memory is large and still zero: it was not written
 * after it was allocated or cleared. Thread-safe. */
bool emu_memory_is_clear(const void *at, size_t bytes);

/* Gives a name to the allocation that contains `address`. Messages show up to 63 characters of the
 * name and count offsets from `address`. Returns false if there is no allocation. Thread-safe. */
bool emu_memory_name(uint64_t address, const char *name);

/* Returns true if [address, address + bytes) is within one allocation. */
bool emu_memory_covers(uint64_t address, size_t bytes);

/* Describes where `address` is, as in "4 bytes past the end of ..." or "in freed memory". */
void emu_memory_describe(char *out, size_t out_bytes, uint64_t address);

size_t emu_memory_in_use(void);
size_t emu_memory_limit(void);

/* Share memory between processes of this machine. emu_memory_export() describes the allocation that
 * contains `address`. As on hardware, the description does not contain the offset of `address`.
 * emu_memory_import() maps that allocation. It fails with CUDA_ERROR_INVALID_CONTEXT in the process
 * that exported it, and with CUDA_ERROR_INVALID_VALUE if the allocation does not exist. */
int emu_memory_export(emu_memory_share *out, uint64_t address);
int emu_memory_import(uint64_t *out, const emu_memory_share *share, void *owner);

/* Maps the allocation that begins at `base` a second time, read-only. Fails with
 * CUDA_ERROR_INVALID_VALUE if none begins there, CUDA_ERROR_NOT_SUPPORTED without a memory file. */
int emu_memory_view(uint64_t *out, uint64_t base, void *owner);
