/* Packs the state of an mbarrier into 8 bytes and counts its phases. */
#include "emulator/mbarrier.h"

/* Bits 0 to 19: pending arrivals; 20 to 39: arrivals per phase; 40 to 61: pending bytes, signed;
 * 63: parity. */
enum { COUNT_BITS = 20, BYTES_SHIFT = 40, BYTES_BITS = 22, PARITY_SHIFT = 63 };
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_MASK ((UINT64_C(1) << BYTES_BITS) - 1)

typedef struct parts {
    uint64_t pending, arrivals, bytes, parity;
} parts;

static parts unpack_state(uint64_t state)
{
    return (parts){.pending = state & COUNT_MASK,
                   .arrivals = state >> COUNT_BITS & COUNT_MASK,
                   .bytes = state >> BYTES_SHIFT & BYTES_MASK,
                   .parity = state >> PARITY_SHIFT};
}

/* Packs a state. First begins the next phase if neither arrivals nor bytes are pending. */
static uint64_t pack_state(parts p)
{
    if (p.pending == 0 && p.bytes == 0) {
        p.parity ^= 1;
        p.pending = p.arrivals;
    }
    return p.pending | p.arrivals << COUNT_BITS | p.bytes << BYTES_SHIFT | p.parity << PARITY_SHIFT;
}

uint64_t emu_mbarrier_init(uint32_t count)
{
    uint64_t arrivals = count & COUNT_MASK;
    return arrivals | arrivals << COUNT_BITS;
}

uint64_t emu_mbarrier_arrive(uint64_t state, uint32_t count, int64_t bytes, bool drop)
{
    parts p = unpack_state(state);
    p.bytes = (p.bytes + (uint64_t)bytes) & BYTES_MASK;
    p.pending = (p.pending - count) & COUNT_MASK;
    if (drop)
        p.arrivals = (p.arrivals - count) & COUNT_MASK;
    return pack_state(p);
}

uint64_t emu_mbarrier_transfer(uint64_t state, int64_t bytes)
{
    parts p = unpack_state(state);
    p.bytes = (p.bytes - (uint64_t)bytes) & BYTES_MASK;
    return pack_state(p);
}

unsigned emu_mbarrier_parity(uint64_t state)
{
    return (unsigned)(state >> PARITY_SHIFT);
}

uint32_t emu_mbarrier_pending(uint64_t state)
{
    return (uint32_t)(state & COUNT_MASK);
}

int64_t emu_mbarrier_bytes(uint64_t state)
{
    const uint64_t sign = UINT64_C(1) << (BYTES_BITS - 1);
    return (int64_t)((state >> BYTES_SHIFT & BYTES_MASK) ^ sign) - (int64_t)sign;
}
