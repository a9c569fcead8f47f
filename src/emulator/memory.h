/* Device memory: one reserved range of addresses in which a device address is the host address.
 *
 * An allocation takes whole granules of 64 KiB, and there is an unused one between any two. The
 * owner of an address is thus found with two loads, and an access even one byte outside is seen.
 * The range is backed by one sparse memory file, so that another process can map an allocation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum emu_memory_kind {
    EMU_MEMORY_DEVICE = 1, /* cuMemAlloc */
    EMU_MEMORY_HOST,       /* pinned host memory made here */
    EMU_MEMORY_REGISTERED, /* pinned host memory of the caller's, outside the range */
    EMU_MEMORY_MODULE,     /* a module's variables */
    EMU_MEMORY_IMPORT,     /* another process's allocation */
    EMU_MEMORY_VIEW        /* an allocation of this process once more, to be read alone */
} emu_memory_kind;

typedef struct emu_allocation {
    uint64_t base;
    size_t bytes;
    emu_memory_kind kind;
    void *owner; /* the context it was made in */
    uint64_t id; /* unique in the process */
    bool read_only;
} emu_allocation;

/* What another process needs to map an allocation; fits a 64-byte handle. */
typedef struct emu_memory_share {
    uint64_t magic;
    int32_t process, file;
    uint64_t offset, bytes, token;
} emu_memory_share;

/* Reserves the range. `limit_bytes` bounds what all allocations together may hold. Idempotent.
 * Returns 0 or CUDA_ERROR_OUT_OF_MEMORY. */
int emu_memory_open(size_t limit_bytes);

/* Allocates zeroed memory aligned to 64 KiB. 0 bytes is CUDA_ERROR_INVALID_VALUE; above the limit
 * CUDA_ERROR_OUT_OF_MEMORY. Any thread. */
int emu_memory_allocate(uint64_t *out, size_t bytes, emu_memory_kind kind, void *owner);

/* Releases the allocation that begins at `base` and is of `kind`; CUDA_ERROR_INVALID_VALUE
 * otherwise. Nothing may be using it. */
int emu_memory_release(uint64_t base, emu_memory_kind kind);

/* Releases all allocations of `owner`, which is a context that ends. */
void emu_memory_release_owner(void *owner);

/* The allocation that holds `address`. Lock-free inside the range; any thread. */
bool emu_memory_lookup(emu_allocation *out, uint64_t address);

/* Fills with zeros what lies within one allocation, or outside of all. Of a large range that costs
 * what was written there, not its size. Any thread. */
void emu_memory_clear(void *at, size_t bytes);

/* Whether a large range of this process's own memory is known to be all zeros, as nothing in it was
 * written since it was allocated or cleared. Any thread. */
bool emu_memory_is_clear(const void *at, size_t bytes);

/* Gives the allocation that holds `address` a name for messages, of which 63 characters are kept
 * and which tell its bytes from there on. False where there is none. Any thread. */
bool emu_memory_name(uint64_t address, const char *name);

/* Whether [address, address + bytes) lies within one allocation. */
bool emu_memory_covers(uint64_t address, size_t bytes);

/* Says in words what `address` is near to ("4 bytes past the end of ...", "in freed memory"), for
 * a fault's message. */
void emu_memory_describe(char *out, size_t out_bytes, uint64_t address);

size_t emu_memory_in_use(void);
size_t emu_memory_limit(void);

/* Sharing between processes of this machine. Export names the allocation that holds `address`
 * (its base: an offset is lost, as on hardware). Import maps it here; the same process gets
 * CUDA_ERROR_INVALID_CONTEXT, a vanished or forged one CUDA_ERROR_INVALID_VALUE. */
int emu_memory_export(emu_memory_share *out, uint64_t address);
int emu_memory_import(uint64_t *out, const emu_memory_share *share, void *owner);

/* The allocation that begins at `base` at another address too, read-only there.
 * CUDA_ERROR_INVALID_VALUE where none begins there, CUDA_ERROR_NOT_SUPPORTED where memory cannot be
 * mapped twice. */
int emu_memory_view(uint64_t *out, uint64_t base, void *owner);
