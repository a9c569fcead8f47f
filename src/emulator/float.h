/* Floating-point operations as PTX defines them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum emu_rounding { EMU_RN, EMU_RZ, EMU_RM, EMU_RP, EMU_RNA } emu_rounding;

enum {
    EMU_ROUNDING = 7,
    EMU_FTZ = 8,
    EMU_SAT = 16,
    EMU_NAN = 32,
    EMU_XORSIGN = 64,
    EMU_RELU = 128
};

static inline uint32_t emu_bits32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float emu_float32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t emu_bits64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double emu_float64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Replaces a NaN by 0x7fffffff, the only NaN of single-precision arithmetic. */
static inline float emu_nan32(float value)
{
    return value != value ? emu_float32(0x7fffffff) : value;
}

/* Replaces a subnormal by zero with the same sign, as .ftz requires. */
static inline float emu_flush(float value)
{
    uint32_t bits = emu_bits32(value);
    return emu_float32((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

static inline double emu_flush64(double value)
{
    uint64_t bits = emu_bits64(value);
    return emu_float64((bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}

/* Clamps to [0, 1], as .sat requires; NaN becomes +0. */
static inline float emu_saturate32(float value)
{
    return value > 0 ? (value < 1 ? value : 1) : 0;
}

static inline double emu_saturate64(double value)
{
    return value > 0 ? (value < 1 ? value : 1) : 0;
}

/* Convert half precision (f16, bf16) from and to wider formats. A NaN becomes 0x7fff. */
uint16_t emu_half_from_float(float value, emu_rounding rounding);
uint16_t emu_half_from_double(double value, emu_rounding rounding);
uint16_t emu_bfloat_from_double(double value, emu_rounding rounding);
float emu_half_to_float(uint16_t bits);
float emu_bfloat_to_float(uint16_t bits);

/* Convert 8-bit floats: e5m2 if `is_e5m2` is true, otherwise e4m3. Values are rounded to nearest
 * even. A value that is too large becomes the largest finite value, and NaN becomes 0x7f. */
uint8_t emu_fp8_from_double(double value, bool is_e5m2);
float emu_fp8_to_float(uint8_t bits, bool is_e5m2);

/* Returns a + b rounded to odd, so rounding it again to a narrower format is correct. */
double emu_add_to_odd(double a, double b);

/* Sets the host's rounding mode and returns the previous mode for emu_round_restore(). Does nothing
 * if the mode is rounding to nearest, which is the default. */
int emu_round_begin(emu_rounding rounding);
void emu_round_restore(int before);
