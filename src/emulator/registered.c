/* The table of registered host memory. */
#include "emulator/registered.h"

#include "emulator/driver_abi.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ENTRY_COUNT = 256 };

static struct {
    pthread_rwlock_t lock;
    emu_allocation entries[ENTRY_COUNT];
    atomic_uint count;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

void emu_registered_release_owner(void *owner)
{
    pthread_rwlock_wrlock(&table.lock);
    unsigned kept = 0;
    for (unsigned i = 0; i < table.count; i++) {
        if (table.entries[i].owner != owner) {
            table.entries[kept++] = table.entries[i];
        }
    }
    table.count = kept;
    pthread_rwlock_unlock(&table.lock);
}

static bool overlaps_other(uint64_t base, size_t bytes)
{
    for (unsigned i = 0; i < table.count; i++) {
        const emu_allocation *other = &table.entries[i];
        if (base < other->base + other->bytes && other->base < base + bytes) {
            return true;
        }
    }
    return false;
}

int emu_registered_add(void *host, size_t bytes, void *owner)
{
    uint64_t base = (uint64_t)(uintptr_t)host;
    if (!host || !bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_rwlock_wrlock(&table.lock);
    int code = 0;
    if (overlaps_other(base, bytes)) {
        code = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    } else if (table.count == ENTRY_COUNT) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    } else {
        table.entries[table.count] = (emu_allocation){
            .base = base, .bytes = bytes, .kind = EMU_MEMORY_REGISTERED, .owner = owner};
        table.count++;
    }
    pthread_rwlock_unlock(&table.lock);
    return code;
}

int emu_registered_remove(void *host)
{
    int code = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    pthread_rwlock_wrlock(&table.lock);
    for (unsigned i = 0; i < table.count; i++) {
        if (table.entries[i].base == (uint64_t)(uintptr_t)host) {
            table.entries[i] = table.entries[--table.count];
            code = 0;
            break;
        }
    }
    pthread_rwlock_unlock(&table.lock);
    return code;
}

bool emu_registered_find(emu_allocation *out, uint64_t address)
{
    if (!table.count) {
        return false;
    }
    bool found = false;
    pthread_rwlock_rdlock(&table.lock);
    for (unsigned i = 0; i < table.count && !found; i++) {
        const emu_allocation *what = &table.entries[i];
        found = address - what->base < what->bytes;
        if (found) {
            *out = *what;
        }
    }
    pthread_rwlock_unlock(&table.lock);
    return found;
}
