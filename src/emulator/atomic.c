/* Implements atomic operations with the host's compare-and-swap instruction. */
#include "emulator/atomic.h"

#include "emulator/float.h"

static uint64_t compute_integer(emu_atomic what, ptx_type type, uint64_t old, uint64_t b)
{
    unsigned shift = 64 - 8 * ptx_type_bytes(type);
    bool less = ptx_type_is_signed(type) ? (int64_t)(old << shift) < (int64_t)(b << shift)
                                         : old << shift < b << shift;
    switch (what) {
    case EMU_ATOMIC_ADD:
        return old + b;
    case EMU_ATOMIC_MIN:
        return less ? old : b;
    case EMU_ATOMIC_MAX:
        return less ? b : old;
    case EMU_ATOMIC_AND:
        return old & b;
    case EMU_ATOMIC_OR:
        return old | b;
    case EMU_ATOMIC_XOR:
        return old ^ b;
    case EMU_ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    case EMU_ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    default:
        return b;
    }
}

static uint32_t add_float(uint32_t old, uint32_t b, bool flush)
{
    float x = emu_float32(old), y = emu_float32(b);
    if (flush)
        x = emu_flush(x), y = emu_flush(y);
    float sum = emu_nan32(x + y);
    return emu_bits32(flush ? emu_flush(sum) : sum);
}

static uint16_t add_half(uint16_t old, uint16_t b)
{
    return emu_half_from_double((double)emu_half_to_float(old) + emu_half_to_float(b), EMU_RN);
}

static uint16_t add_bfloat(uint16_t old, uint16_t b)
{
    double sum = emu_add_to_odd(emu_bfloat_to_float(old), emu_bfloat_to_float(b));
    return emu_bfloat_from_double(sum, EMU_RN);
}

static uint16_t choose_half(emu_atomic what, uint16_t old, uint16_t b, float x, float y)
{
    if (x != x || y != y)
        return x == x ? old : y == y ? b : 0x7fff;
    bool less = x < y || (x == y && old >> 15);
    return less == (what == EMU_ATOMIC_MIN) ? old : b;
}

static uint16_t compute_half(emu_atomic what, ptx_type type, uint16_t old, uint16_t b)
{
    bool is_half = type == PTX_F16 || type == PTX_F16X2;
    if (what == EMU_ATOMIC_ADD)
        return is_half ? add_half(old, b) : add_bfloat(old, b);
    return is_half ? choose_half(what, old, b, emu_half_to_float(old), emu_half_to_float(b))
                   : choose_half(what, old, b, emu_bfloat_to_float(old), emu_bfloat_to_float(b));
}

static uint64_t compute_new(emu_atomic what, ptx_type type, uint64_t old, uint64_t b, uint64_t c,
                            bool flush)
{
    if (what == EMU_ATOMIC_CAS)
        return old == b ? c : old;
    if (what == EMU_ATOMIC_EXCH)
        return b;
    switch (type) {
    case PTX_F32:
        return add_float((uint32_t)old, (uint32_t)b, flush);
    case PTX_F64:
        return emu_bits64(emu_float64(old) + emu_float64(b));
    case PTX_F16:
    case PTX_BF16:
        return compute_half(what, type, (uint16_t)old, (uint16_t)b);
    case PTX_F16X2:
    case PTX_BF16X2:
        return compute_half(what, type, (uint16_t)old, (uint16_t)b) |
               (uint32_t)compute_half(what, type, (uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
    default:
        return compute_integer(what, type, old, b);
    }
}

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are type names */
#define EXCHANGE(T)                                                                                \
    do {                                                                                           \
        T *at = place, old = __atomic_load_n(at, __ATOMIC_RELAXED), next;                          \
        do                                                                                         \
            next = (T)compute_new(what, type, old, (T)b, (T)c, flush);                             \
        while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST,               \
                                            __ATOMIC_RELAXED));                                    \
        return old;                                                                                \
    } while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

typedef uint16_t __attribute__((may_alias)) word16;
typedef uint32_t __attribute__((may_alias)) word32;
typedef uint64_t __attribute__((may_alias)) word64;

uint64_t emu_atomic_apply(emu_atomic what, ptx_type type, void *place, uint64_t b, uint64_t c,
                          bool flush)
{
    unsigned bytes = ptx_type_bytes(type);
    bool is_float = type == PTX_F32 || type == PTX_F64 || type == PTX_F16X2 || type == PTX_BF16X2;
    if (what == EMU_ATOMIC_ADD && bytes == 4 && !is_float)
        return __atomic_fetch_add((word32 *)place, (uint32_t)b, __ATOMIC_SEQ_CST);
    if (what == EMU_ATOMIC_ADD && bytes == 8 && !is_float)
        return __atomic_fetch_add((word64 *)place, b, __ATOMIC_SEQ_CST);
    if (bytes == 4)
        EXCHANGE(word32);
    if (bytes == 8)
        EXCHANGE(word64);
    EXCHANGE(word16);
}

bool emu_atomic_exists(emu_atomic what, ptx_type type)
{
    bool b32 = type == PTX_B32, u32 = type == PTX_U32, s32 = type == PTX_S32;
    bool b64 = type == PTX_B64, u64 = type == PTX_U64, s64 = type == PTX_S64;
    bool halves = type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
    switch (what) {
    case EMU_ATOMIC_ADD:
        return u32 || s32 || u64 || s64 || type == PTX_F32 || type == PTX_F64 || halves;
    case EMU_ATOMIC_MIN:
    case EMU_ATOMIC_MAX:
        return u32 || s32 || u64 || s64 || halves;
    case EMU_ATOMIC_AND:
    case EMU_ATOMIC_OR:
    case EMU_ATOMIC_XOR:
        return b32 || b64;
    case EMU_ATOMIC_INC:
    case EMU_ATOMIC_DEC:
        return u32;
    case EMU_ATOMIC_EXCH:
        return b32 || b64;
    default:
        return b32 || b64 || u32 || u64 || s32 || type == PTX_B16;
    }
}
