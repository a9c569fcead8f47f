/* Decodes the operands of an instruction and the modifiers of its opcode. */
#include "emulator/decode.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void emu_decode_fail(emu_decoder *decoder, const char *format, ...)
{
    if (decoder->failed)
        return;
    decoder->failed = true;
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    gt_vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (decoder->log_bytes)
        snprintf(decoder->log, decoder->log_bytes, "PTX line %d: %s: %s",
                 decoder->in ? decoder->in->line : 0, decoder->in ? decoder->in->opcode : "load",
                 what);
}

void *emu_decode_alloc(emu_decoder *decoder, size_t bytes)
{
    void *memory = emu_pool_alloc(&decoder->program->module.pool, bytes);
    if (!memory)
        emu_decode_fail(decoder, "out of memory");
    return memory;
}

/* ---- words ---- */

static bool word_is(const emu_decoder *decoder, unsigned index, const char *word)
{
    return strlen(word) == decoder->lengths[index] &&
           memcmp(word, decoder->words[index], decoder->lengths[index]) == 0;
}

bool emu_take(emu_decoder *decoder, const char *word)
{
    for (unsigned i = 1; i < decoder->word_count; i++)
        if (!(decoder->taken >> i & 1) && word_is(decoder, i, word)) {
            decoder->taken |= 1u << i;
            return true;
        }
    return false;
}

int emu_take_one(emu_decoder *decoder, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (emu_take(decoder, words[i]))
            return i;
    return -1;
}

/* Takes the opcode's next type. If there is none, returns PTX_NO_TYPE and does not fail. */
static ptx_type try_type(emu_decoder *decoder)
{
    for (unsigned i = 1; i < decoder->word_count; i++) {
        if (decoder->taken >> i & 1)
            continue;
        ptx_type type = ptx_type_find(decoder->words[i], decoder->lengths[i]);
        if (type == PTX_NO_TYPE)
            continue;
        decoder->taken |= 1u << i;
        return type;
    }
    return PTX_NO_TYPE;
}

ptx_type emu_take_type(emu_decoder *decoder)
{
    ptx_type type = try_type(decoder);
    if (type == PTX_NO_TYPE)
        emu_decode_fail(decoder, "expected a type that the emulator supports");
    return type;
}

/* ---- constants ---- */

static void fill_lanes(uint8_t *place, uint64_t value, size_t bytes)
{
    uint64_t wide[2] = {value, 0};
    for (unsigned lane = 0; lane < EMU_WARP; lane++)
        memcpy(place + lane * bytes, wide, bytes);
}

static bool grow_constants(emu_decoder *decoder, size_t more)
{
    emu_program *program = decoder->program;
    if (program->constant_bytes + more <= decoder->constant_capacity)
        return true;
    size_t larger = decoder->constant_capacity ? decoder->constant_capacity * 2 : 16384;
    uint8_t *copy = aligned_alloc(64, larger);
    if (!copy) {
        emu_decode_fail(decoder, "out of memory");
        return false;
    }
    if (program->constant_bytes)
        memcpy(copy, program->constants, program->constant_bytes);
    free(program->constants);
    program->constants = copy;
    decoder->constant_capacity = larger;
    return true;
}

static bool constant_is(const emu_program *program, uint32_t entry, uint64_t value, unsigned bytes)
{
    uint64_t wide[2] = {value, 0};
    return (entry & 31) == bytes && memcmp(program->constants + (entry & ~63u), wide, bytes) == 0;
}

static bool grow_index(emu_decoder *decoder)
{
    if (decoder->constant_count * 2 < decoder->constant_index_size)
        return true;
    size_t old_size = decoder->constant_index_size, size = old_size ? old_size * 2 : 256;
    uint32_t *old = decoder->constant_index, *index = calloc(size, sizeof *index);
    if (!index) {
        emu_decode_fail(decoder, "out of memory");
        return false;
    }
    for (size_t i = 0; i < old_size; i++) {
        uint64_t value = 0;
        if (!old[i])
            continue;
        unsigned bytes = old[i] & 31;
        memcpy(&value, decoder->program->constants + (old[i] & ~63u), bytes < 8 ? bytes : 8);
        size_t slot = (value * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (size - 1);
        while (index[slot])
            slot = (slot + 1) & (size - 1);
        index[slot] = old[i];
    }
    free(old);
    decoder->constant_index = index;
    decoder->constant_index_size = size;
    return true;
}

/* A hash table entry is a constant's size in bytes plus the constant's offset, a multiple of 64. */
uint32_t emu_constant(emu_decoder *decoder, uint64_t value, unsigned bytes)
{
    emu_program *program = decoder->program;
    size_t all_lanes = (size_t)EMU_WARP * bytes;
    if (bytes < 8)
        value &= (UINT64_C(1) << bytes * 8) - 1;
    if (!grow_index(decoder) || !grow_constants(decoder, all_lanes))
        return 1;
    size_t mask = decoder->constant_index_size - 1;
    size_t slot = (value * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
    for (; decoder->constant_index[slot]; slot = (slot + 1) & mask)
        if (constant_is(program, decoder->constant_index[slot], value, bytes))
            return (decoder->constant_index[slot] & ~63u) | 1;
    uint32_t offset = (uint32_t)program->constant_bytes;
    fill_lanes(program->constants + offset, value, bytes);
    program->constant_bytes += all_lanes;
    decoder->constant_index[slot] = offset | bytes;
    decoder->constant_count++;
    return offset | 1;
}

/* ---- operands ---- */

bool emu_operands(emu_decoder *decoder, size_t least, size_t most)
{
    size_t count = decoder->in->operand_count;
    if (count < least || count > most)
        emu_decode_fail(decoder, "has %zu operands, which the emulator does not support", count);
    return !decoder->failed;
}

const ptx_operand *emu_operand(const emu_decoder *decoder, size_t index)
{
    static const ptx_operand none = {.kind = PTX_OPERAND_NAME, .name = "(missing)"};
    return index < decoder->in->operand_count ? &decoder->in->operands[index] : &none;
}

static void touch_register(emu_decoder *decoder, uint32_t reg, bool writes)
{
    if (decoder->touch_count == decoder->touch_capacity) {
        size_t larger = decoder->touch_capacity ? decoder->touch_capacity * 2 : 256;
        emu_touch *copy = realloc(decoder->touches, larger * sizeof *copy);
        if (!copy) {
            emu_decode_fail(decoder, "out of memory");
            return;
        }
        decoder->touches = copy;
        decoder->touch_capacity = larger;
    }
    decoder->touches[decoder->touch_count++] =
        (emu_touch){.reg = reg, .instruction = (uint32_t)decoder->index, .writes = writes};
}

static uint32_t use_register(emu_decoder *decoder, const ptx_operand *operand, bool writes)
{
    touch_register(decoder, operand->reg, writes);
    return decoder->slots[operand->reg];
}

static uint64_t immediate(const ptx_operand *operand, unsigned bytes)
{
    if (operand->kind == PTX_OPERAND_FLOAT64 && bytes == 4) {
        double wide;
        memcpy(&wide, &operand->value, sizeof wide);
        float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (operand->kind == PTX_OPERAND_FLOAT32 && bytes == 8) {
        float narrow;
        uint32_t bits = (uint32_t)operand->value;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = narrow;
        uint64_t wide_bits;
        memcpy(&wide_bits, &wide, sizeof wide_bits);
        return wide_bits;
    }
    return operand->value;
}

static bool is_immediate(const ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER || operand->kind == PTX_OPERAND_FLOAT32 ||
           operand->kind == PTX_OPERAND_FLOAT64;
}

static void fail_operand(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        emu_decode_fail(decoder, "a register of type .%s where %u bits are needed",
                        ptx_type_name(operand->type), bytes ? bytes * 8 : 1);
    else if (operand->kind == PTX_OPERAND_NAME)
        emu_decode_fail(decoder, "unknown name %s", operand->name);
    else
        emu_decode_fail(decoder, "an operand of a kind that is not supported here");
}

/* Returns the offset of a register of exactly `bytes` bytes. If `width` is not NULL, allows a
 * larger register, and sets *width to the size of the register. */
static uint32_t find_register(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes,
                              uint8_t *width, bool writes)
{
    unsigned have = ptx_type_bytes(operand->type);
    bool fits = operand->kind == PTX_OPERAND_REGISTER && !operand->is_negated &&
                (width ? have >= bytes && have : have == bytes);
    if (!fits) {
        fail_operand(decoder, operand, bytes);
        return 0;
    }
    if (width)
        *width = (uint8_t)have;
    return use_register(decoder, operand, writes);
}

uint32_t emu_source(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes)
{
    if (is_immediate(operand) && bytes)
        return emu_constant(decoder, immediate(operand, bytes), bytes);
    return find_register(decoder, operand, bytes, NULL, false);
}

uint32_t emu_source_wide(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes,
                         uint8_t *width)
{
    *width = bytes < 2 ? 2 : (uint8_t)bytes;
    if (is_immediate(operand))
        return emu_constant(decoder, immediate(operand, *width), *width);
    return find_register(decoder, operand, bytes, width, false);
}

uint32_t emu_target(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes)
{
    if (operand->kind == PTX_OPERAND_SINK)
        return bytes ? EMU_SINK_SLOT : EMU_SINK_PREDICATE;
    return find_register(decoder, operand, bytes, NULL, true);
}

uint32_t emu_target_wide(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes,
                         uint8_t *width)
{
    *width = bytes < 2 ? 2 : (uint8_t)bytes;
    if (operand->kind == PTX_OPERAND_SINK)
        return EMU_SINK_SLOT;
    return find_register(decoder, operand, bytes, width, true);
}

/* ---- forms ---- */

static unsigned signature_bytes(char letter)
{
    switch (letter) {
    case 'h':
        return 2;
    case 'w':
        return 4;
    case 'l':
        return 8;
    case 'q':
        return 16;
    default:
        return 0;
    }
}

void emu_decode_signature(emu_decoder *decoder, const char *signature)
{
    size_t count = strlen(signature);
    if (!emu_operands(decoder, count, count) || count == 0)
        return;
    emu_op *op = decoder->op;
    uint32_t *const places[] = {&op->dst, &op->a, &op->b, &op->c, &op->d};
    for (size_t i = 1; i < count; i++)
        *places[i] = emu_source(decoder, emu_operand(decoder, i), signature_bytes(signature[i]));
    op->dst = emu_target(decoder, emu_operand(decoder, 0), signature_bytes(signature[0]));
}

bool emu_try_forms(emu_decoder *decoder, const emu_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(forms[i].opcode, decoder->in->opcode) != 0)
            continue;
        decoder->taken = UINT32_MAX;
        decoder->op->run = forms[i].run;
        decoder->op->unit = (uint8_t)forms[i].unit;
        emu_decode_signature(decoder, forms[i].signature);
        return true;
    }
    return false;
}

void emu_decode_forms(emu_decoder *decoder, const emu_form *forms, size_t count)
{
    if (!emu_try_forms(decoder, forms, count))
        emu_decode_fail(decoder, "the emulator has no such form");
}
