/* Models the L2 cache as a list of buffers. The most recently used buffer comes first. */
#include "emulator/level2.h"

#include <pthread.h>
#include <string.h>

enum { ENTRY_COUNT = 64 };

static struct {
    pthread_mutex_t lock;
    size_t count;
    emu_buffer entries[ENTRY_COUNT];
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double take_out(uint64_t address)
{
    for (size_t i = 0; i < cache.count; i++) {
        if (cache.entries[i].address == address) {
            double bytes = cache.entries[i].bytes;
            cache.count--;
            memmove(&cache.entries[i], &cache.entries[i + 1],
                    (cache.count - i) * sizeof cache.entries[0]);
            return bytes;
        }
    }
    return 0;
}

static void evict_buffers(double capacity)
{
    double held = 0;
    for (size_t i = 0; i < cache.count; i++) {
        double room = capacity - held;
        if (cache.entries[i].bytes > room) {
            cache.entries[i].bytes = room;
        }
        held += cache.entries[i].bytes;
    }
    while (cache.count && cache.entries[cache.count - 1].bytes <= 0) {
        cache.count--;
    }
}

/* Adds a range to the cache. Returns how many of its bytes were already in the cache. */
static double touch_range(uint64_t address, double bytes, double capacity)
{
    double held = take_out(address);
    double kept = held > bytes ? held : bytes;
    if (cache.count == ENTRY_COUNT) {
        cache.count--;
    }
    memmove(&cache.entries[1], &cache.entries[0], cache.count * sizeof cache.entries[0]);
    cache.entries[0] = (emu_buffer){.address = address, .bytes = kept < capacity ? kept : capacity};
    cache.count++;
    evict_buffers(capacity);
    return held < bytes ? held : bytes;
}

static double total_bytes(const emu_buffer *buffers, size_t count)
{
    double bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += buffers[i].bytes;
    }
    return bytes;
}

static double pass_locked(const emu_buffer *buffers, size_t count, double traffic, double capacity)
{
    double reachable = total_bytes(buffers, count);
    double touched = reachable < traffic ? reachable : traffic;
    double scale = reachable > 0 ? touched / reachable : 0;
    double hits = 0;
    for (size_t i = 0; i < count; i++) {
        hits += touch_range(buffers[i].address, buffers[i].bytes * scale, capacity);
    }
    if (touched <= capacity) {
        return touched - hits;
    }
    /* every access to memory that does not fit goes to DRAM */
    double missing = 1 - capacity / touched;
    return touched + (traffic - touched) * missing;
}

double emu_level2_pass(const emu_buffer *buffers, size_t count, double traffic,
                       double capacity_bytes)
{
    pthread_mutex_lock(&cache.lock);
    double bytes = pass_locked(buffers, count, traffic, capacity_bytes);
    pthread_mutex_unlock(&cache.lock);
    return bytes;
}

void emu_level2_touch(uint64_t address, double bytes, double capacity_bytes)
{
    pthread_mutex_lock(&cache.lock);
    touch_range(address, bytes, capacity_bytes);
    pthread_mutex_unlock(&cache.lock);
}
