/* Macros that define handlers of operations in which each lane computes by itself. */
#pragma once

#include "emulator/decode.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored                                                                   \
    "-Wpass-failed" /* it is harmless if the compiler ignores a hint to vectorise a loop */
#endif

/* Types of lanes. They may alias each other, because all types are kept in the same registers. */
typedef uint8_t __attribute__((may_alias)) emu_u8;
typedef int8_t __attribute__((may_alias)) emu_s8;
typedef uint16_t __attribute__((may_alias)) emu_u16;
typedef int16_t __attribute__((may_alias)) emu_s16;
typedef uint32_t __attribute__((may_alias)) emu_u32;
typedef int32_t __attribute__((may_alias)) emu_s32;
typedef uint64_t __attribute__((may_alias)) emu_u64;
typedef int64_t __attribute__((may_alias)) emu_s64;
typedef float __attribute__((may_alias)) emu_f32;
typedef double __attribute__((may_alias)) emu_f64;

/* Executes `statement` for each lane `i` in the mask, or for all 32 if the others have exited. */
#define EMU_EACH_LANE(warp, statement)                                                             \
    do {                                                                                           \
        if (emu_is_full(warp)) {                                                                   \
            EMU_VECTOR                                                                             \
            for (unsigned i = 0; i < EMU_WARP; i++) {                                              \
                statement;                                                                         \
            }                                                                                      \
        } else {                                                                                   \
            EMU_FOR_LANES(i, (warp)->mask)                                                         \
            {                                                                                      \
                statement;                                                                         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are type names */
/* Define a handler that computes dst from the operands a, b and c. D is the type of the result; T,
 * U and V are the types of the operands. */
#define EMU_UNARY(name, D, T, expression)                                                          \
    EMU_WIDE static void name(emu_warp *warp, const emu_op *op)                                    \
    {                                                                                              \
        D *dst = emu_lanes(warp, op->dst);                                                         \
        const T *pa = emu_lanes(warp, op->a);                                                      \
        EMU_EACH_LANE(warp, const T a = pa[i]; dst[i] = (D)(expression));                          \
    }

#define EMU_BINARY2(name, D, T, U, expression)                                                     \
    EMU_WIDE static void name(emu_warp *warp, const emu_op *op)                                    \
    {                                                                                              \
        D *dst = emu_lanes(warp, op->dst);                                                         \
        const T *pa = emu_lanes(warp, op->a);                                                      \
        const U *pb = emu_lanes(warp, op->b);                                                      \
        EMU_EACH_LANE(warp, const T a = pa[i]; const U b = pb[i]; dst[i] = (D)(expression));       \
    }
#define EMU_BINARY(name, D, T, expression) EMU_BINARY2(name, D, T, T, expression)

#define EMU_TERNARY3(name, D, T, U, V, expression)                                                 \
    EMU_WIDE static void name(emu_warp *warp, const emu_op *op)                                    \
    {                                                                                              \
        D *dst = emu_lanes(warp, op->dst);                                                         \
        const T *pa = emu_lanes(warp, op->a);                                                      \
        const U *pb = emu_lanes(warp, op->b);                                                      \
        const V *pc = emu_lanes(warp, op->c);                                                      \
        EMU_EACH_LANE(warp, const T a = pa[i]; const U b = pb[i]; const V c = pc[i];               \
                      dst[i] = (D)(expression));                                                   \
    }
#define EMU_TERNARY(name, D, T, expression) EMU_TERNARY3(name, D, T, T, T, expression)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Defines a function that compares two registers and returns a mask of lanes. */
#define EMU_COMPARE(name, T, expression)                                                           \
    EMU_WIDE static uint32_t name(const void *left, const void *right)                             \
    {                                                                                              \
        const T *pa = left, *pb = right;                                                           \
        uint32_t result = 0;                                                                       \
        for (unsigned i = 0; i < EMU_WARP; i++) {                                                  \
            const T a = pa[i], b = pb[i];                                                          \
            result |= (uint32_t)(expression) << i;                                                 \
        }                                                                                          \
        return result;                                                                             \
    }

#define EMU_COUNT(array) (sizeof(array) / sizeof((array)[0]))
