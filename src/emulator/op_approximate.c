/* ex2, lg2, sin, cos, tanh and rsqrt. The hardware approximates these functions with tables. The
 * emulator computes them in double precision and rounds once. The errors are smaller than PTX
 * allows (2 ulp for ex2, 2^-22 for lg2, 2^-20.9 for sin and cos, 2^-22.4 for rsqrt, 2^-11 for
 * tanh), but the last bits differ from those of a GPU. */
#include "emulator/float.h"
#include "emulator/lanes.h"

#include <math.h>

typedef struct function {
    const char *root;
    double (*of)(double);
} function;

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static const function functions[] = {
    {"ex2", exp2}, {"lg2", log2},  {"sin", sin},
    {"cos", cos},  {"tanh", tanh}, {"rsqrt", reciprocal_root},
};

static void approximate(emu_warp *warp, const emu_op *op)
{
    const function *f = op->extra;
    const emu_f32 *a = emu_lanes(warp, op->a);
    emu_f32 *dst = emu_lanes(warp, op->dst);
    bool ftz = op->flags & EMU_FTZ;
    EMU_FOR_LANES(i, warp->mask)
    {
        float result = emu_nan32((float)f->of(ftz ? emu_flush(a[i]) : a[i]));
        dst[i] = ftz ? emu_flush(result) : result;
    }
}

/* With .ftz, a subnormal operand is treated as zero, and the lower word of the result is zero. */
static void rsqrt_f64(emu_warp *warp, const emu_op *op)
{
    const emu_f64 *a = emu_lanes(warp, op->a);
    emu_f64 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    {
        bool ftz = op->flags & EMU_FTZ;
        double result = 1 / sqrt(ftz ? emu_flush64(a[i]) : a[i]);
        dst[i] = ftz ? emu_float64(emu_bits64(result) & 0xffffffff00000000) : result;
    }
}

static const function *find_function(const emu_decoder *decoder)
{
    for (size_t i = 0; i < EMU_COUNT(functions); i++)
        if (strlen(functions[i].root) == decoder->lengths[0] &&
            memcmp(functions[i].root, decoder->words[0], decoder->lengths[0]) == 0)
            return &functions[i];
    return NULL;
}

void emu_decode_approximate(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    const function *f = find_function(decoder);
    uint32_t taken = decoder->taken;
    ptx_type type = emu_take_type(decoder);
    if (type != PTX_F32 && type != PTX_F64) {
        decoder->taken = taken;
        emu_decode_half(decoder);
        return;
    }
    op->unit = EMU_CLASS_SFU;
    op->extra = f;
    op->flags = emu_take(decoder, "ftz") ? EMU_FTZ : 0;
    if (!emu_take(decoder, "approx"))
        emu_decode_fail(decoder, "needs .approx");
    if (type == PTX_F64 && f->of == reciprocal_root)
        op->run = rsqrt_f64;
    else if (type == PTX_F32)
        op->run = approximate;
    emu_decode_signature(decoder, type == PTX_F64 ? "ll" : "ww");
}
