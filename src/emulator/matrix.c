/* Reads and writes fragments of matrices, and multiplies matrices. Sums are computed in double
 * precision and rounded once, whereas a tensor core truncates after each addition. */
#include "emulator/matrix.h"

#include "emulator/float.h"
#include "emulator/lanes.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name;
    uint8_t bytes;
} numbers[] = {
    [EMU_F16] = {"f16", 2}, [EMU_BF16] = {"bf16", 2}, [EMU_TF32] = {"tf32", 4},
    [EMU_F32] = {"f32", 4}, [EMU_F64] = {"f64", 8},   [EMU_S8] = {"s8", 1},
    [EMU_U8] = {"u8", 1},   [EMU_E4M3] = {"e4m3", 1}, [EMU_E5M2] = {"e5m2", 1},
    [EMU_S32] = {"s32", 4},
};

unsigned emu_number_bytes(emu_number number)
{
    return numbers[number].bytes;
}

emu_number emu_take_number(emu_decoder *decoder)
{
    for (unsigned i = 1; i < decoder->word_count; i++)
        for (unsigned n = 0; n < EMU_COUNT(numbers); n++) {
            size_t length = strlen(numbers[n].name);
            if (decoder->taken >> i & 1 || length != decoder->lengths[i] ||
                memcmp(numbers[n].name, decoder->words[i], length) != 0)
                continue;
            decoder->taken |= 1u << i;
            return (emu_number)n;
        }
    emu_decode_fail(decoder, "expected a matrix type that the emulator supports");
    return EMU_F32;
}

/* Reads `letter` and a number after it, and advances *at. Returns 0 if they are missing. */
static unsigned read_side(const char **at, char letter)
{
    char *end = NULL;
    unsigned long side = **at == letter ? strtoul(*at + 1, &end, 10) : 0;
    *at = side ? end : *at;
    return side <= EMU_MOST_N ? (unsigned)side : 0;
}

emu_shape emu_take_shape(emu_decoder *decoder)
{
    for (unsigned i = 1; i < decoder->word_count; i++) {
        const char *at = decoder->words[i];
        emu_shape s = {
            .m = read_side(&at, 'm'), .n = read_side(&at, 'n'), .k = read_side(&at, 'k')};
        if (!s.m || !s.n || !s.k || s.k > EMU_MOST_K)
            continue;
        decoder->taken |= 1u << i;
        return s;
    }
    emu_decode_fail(decoder, "expected a matrix shape that the emulator supports");
    return (emu_shape){8, 8, 4};
}

emu_fragment emu_decode_fragment(emu_decoder *decoder, const ptx_operand *operand,
                                 emu_number number, unsigned rows, unsigned columns, bool is_sum,
                                 unsigned copies, bool writes)
{
    unsigned bytes = numbers[number].bytes, width = bytes == 8 ? 8 : 4;
    emu_fragment f = {.number = number,
                      .unit = (uint8_t)(is_sum ? 2 : width / bytes),
                      .bytes = (uint8_t)bytes,
                      .width = (uint8_t)width,
                      .rows = (uint16_t)rows,
                      .columns = (uint16_t)columns,
                      .held = (uint16_t)(rows * columns / EMU_WARP)};
    f.count = (uint16_t)(f.held * copies * bytes / width);
    bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
    uint32_t *registers = emu_decode_alloc(decoder, f.count * sizeof *registers + 1);
    if (!f.count || columns % (4 * f.unit) || (is_vector ? operand->count : 1) != f.count) {
        emu_decode_fail(decoder, "a matrix of %u x %u .%s is in %u registers", rows, columns,
                        numbers[number].name, f.count);
        return f;
    }
    for (unsigned i = 0; registers && i < f.count; i++) {
        const ptx_operand *item = is_vector ? &operand->items[i] : operand;
        registers[i] = writes ? emu_target(decoder, item, width) : emu_source(decoder, item, width);
    }
    f.registers = registers;
    return f;
}

uint8_t *emu_fragment_place(const emu_warp *warp, const emu_fragment *f, unsigned index,
                            unsigned lane)
{
    unsigned each = f->width / f->bytes;
    uint8_t *lanes = emu_lanes(warp, f->registers[index / each]);
    return lanes + (size_t)lane * f->width + index % each * f->bytes;
}

unsigned emu_fragment_row(const emu_fragment *f, unsigned index, unsigned lane)
{
    return lane / 4 + 8 * (index / f->unit % (f->rows / 8));
}

unsigned emu_fragment_column(const emu_fragment *f, unsigned index, unsigned lane)
{
    return lane % 4 * f->unit + index % f->unit + 4 * f->unit * (index / f->unit / (f->rows / 8));
}

double emu_number_load(emu_number number, const uint8_t *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, numbers[number].bytes);
    switch (number) {
    case EMU_F16:
        return emu_half_to_float((uint16_t)bits);
    case EMU_BF16:
        return emu_bfloat_to_float((uint16_t)bits);
    case EMU_TF32:
        return emu_float32((uint32_t)bits & 0xffffe000);
    case EMU_F32:
        return emu_float32((uint32_t)bits);
    case EMU_F64:
        return emu_float64(bits);
    case EMU_S8:
        return (int8_t)bits;
    case EMU_U8:
        return (uint8_t)bits;
    case EMU_E4M3:
    case EMU_E5M2:
        return emu_fp8_to_float((uint8_t)bits, number == EMU_E5M2);
    default:
        return (int32_t)bits;
    }
}

static void store_number(emu_number number, uint8_t *at, double value, bool saturate)
{
    uint64_t bits;
    if (number == EMU_F16)
        bits = emu_half_from_double(value, EMU_RN);
    else if (number == EMU_F32)
        bits = emu_bits32(emu_nan32((float)value));
    else if (number == EMU_F64)
        bits = emu_bits64(value);
    else if (saturate)
        bits = (uint64_t)(int64_t)fmin(fmax(value, INT32_MIN), INT32_MAX);
    else
        bits = (uint64_t)(int64_t)value;
    memcpy(at, &bits, numbers[number].bytes);
}

void emu_fragment_read(const emu_warp *warp, const emu_fragment *f, double *out, unsigned down,
                       unsigned right)
{
    for (unsigned i = 0; i < f->held; i++)
        for (unsigned lane = 0; lane < EMU_WARP; lane++)
            out[emu_fragment_row(f, i, lane) * down + emu_fragment_column(f, i, lane) * right] =
                emu_number_load(f->number, emu_fragment_place(warp, f, i, lane));
}

void emu_fragment_write(const emu_warp *warp, const emu_fragment *f, const double *from,
                        bool saturate)
{
    for (unsigned i = 0; i < f->held; i++)
        for (unsigned lane = 0; lane < EMU_WARP; lane++)
            store_number(
                f->number, emu_fragment_place(warp, f, i, lane),
                from[emu_fragment_row(f, i, lane) * f->columns + emu_fragment_column(f, i, lane)],
                saturate);
}

EMU_WIDE static void multiply_exact(const emu_shape *s, const double *a, const double *b,
                                    double *sum)
{
    for (unsigned row = 0; row < s->m; row++)
        for (unsigned k = 0; k < s->k; k++) {
            const double left = a[row * s->k + k];
            const double *right = b + (size_t)k * s->n;
            double *to = sum + (size_t)row * s->n;
            for (unsigned n = 0; n < s->n; n++)
                to[n] += left * right[n];
        }
}

void emu_multiply(const emu_shape *s, emu_number number, const double *a, const double *b,
                  double *sum)
{
    if (number != EMU_F64) {
        multiply_exact(s, a, b, sum);
        return;
    }
    for (unsigned row = 0; row < s->m; row++)
        for (unsigned n = 0; n < s->n; n++)
            for (unsigned k = 0; k < s->k; k++)
                sum[row * s->n + n] = fma(a[row * s->k + k], b[k * s->n + n], sum[row * s->n + n]);
}
