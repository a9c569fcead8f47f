/* Decodes parsed instructions into operations. Decoders and handlers are in op_*.c. */
#pragma once

#include "emulator/program.h"

enum { EMU_MAX_WORDS = 20 };

typedef struct emu_touch {
    uint32_t reg;
    uint32_t instruction;
    bool writes;
} emu_touch;

typedef struct emu_decoder {
    emu_program *program;
    emu_function *out;
    const ptx_function *function;
    const ptx_instruction *in;
    size_t index;

    /* the parts of the opcode between its dots; words[0] is the instruction's name */
    const char *words[EMU_MAX_WORDS];
    size_t lengths[EMU_MAX_WORDS];
    unsigned word_count;
    uint32_t taken; /* bit n is set if a decoder has used words[n] */

    emu_op *op;            /* the decoded operation */
    const uint32_t *slots; /* offset of each register's lanes */
    emu_flow *flows;
    emu_touch *touches; /* registers that instructions read or write, in order */
    size_t touch_count, touch_capacity;
    bool *uses_shared;
    uint32_t *callees;
    size_t callee_count, callee_capacity;
    size_t constant_capacity;
    uint32_t *constant_index;
    size_t constant_count, constant_index_size;
    char *log;
    size_t log_bytes;
    bool failed;
} emu_decoder;

/* One form of an opcode. The signature has one letter for the type of the result and of each
 * operand: w (b32), l (b64), h (b16), q (b128) or p (predicate). */
typedef struct emu_form {
    const char *opcode;
    emu_handler run;
    const char *signature;
    emu_class unit;
} emu_form;

/* Logs a message with the opcode and its line, unless decoding has already failed. */
__attribute__((format(printf, 2, 3))) void emu_decode_fail(emu_decoder *decoder, const char *format,
                                                           ...);

/* Returns true if the opcode has this modifier, and marks the modifier as used. */
bool emu_take(emu_decoder *decoder, const char *word);
/* Finds the first of `words` that is a modifier, and marks it as used. Returns its index, or -1. */
int emu_take_one(emu_decoder *decoder, const char *const *words, int count);
/* Takes the opcode's next type. If there is none, fails and returns PTX_NO_TYPE. */
ptx_type emu_take_type(emu_decoder *decoder);

/* Fails unless the number of operands is in [least, most]. */
bool emu_operands(emu_decoder *decoder, size_t least, size_t most);
const ptx_operand *emu_operand(const emu_decoder *decoder, size_t index);

/* Returns the offset of a source operand, which is an immediate or a register of exactly `bytes`
 * bytes. If `bytes` is 0, the operand must be a predicate that is not negated. */
uint32_t emu_source(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes);
/* Like emu_source(), but allows a larger register, and sets *width to the size of the register. */
uint32_t emu_source_wide(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes,
                         uint8_t *width);
/* Returns the offset of a result register. The operand `_` gets a register that is never read. */
uint32_t emu_target(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes);
uint32_t emu_target_wide(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes,
                         uint8_t *width);
/* Returns the offset of a constant that has the value in all lanes. */
uint32_t emu_constant(emu_decoder *decoder, uint64_t value, unsigned bytes);

/* Returns zeroed memory that the program owns. If memory runs out, records a failure. */
void *emu_decode_alloc(emu_decoder *decoder, size_t bytes);

/* Decodes the operands into dst, a, b, c and d of the operation, in the order of the signature. */
void emu_decode_signature(emu_decoder *decoder, const char *signature);
/* Decodes the operation according to the table entry for its opcode. If the table has no such
 * entry, emu_decode_forms() records a failure; emu_try_forms() only returns false. */
void emu_decode_forms(emu_decoder *decoder, const emu_form *forms, size_t count);
bool emu_try_forms(emu_decoder *decoder, const emu_form *forms, size_t count);

/* Decodes all functions. On failure, returns false and writes one line to the log. */
bool emu_decode_program(emu_program *program, char *log, size_t log_bytes);

typedef void emu_decode_function(emu_decoder *decoder);

emu_decode_function emu_decode_integer, emu_decode_multiply, emu_decode_logic, emu_decode_bits;
emu_decode_function emu_decode_float_arithmetic, emu_decode_float_fma, emu_decode_float_unary;
emu_decode_function emu_decode_min_max, emu_decode_approximate, emu_decode_half;
emu_decode_function emu_decode_setp, emu_decode_set, emu_decode_selp, emu_decode_slct;
emu_decode_function emu_decode_mov, emu_decode_cvt, emu_decode_cvta, emu_decode_isspacep;
emu_decode_function emu_decode_load, emu_decode_store, emu_decode_prefetch;
emu_decode_function emu_decode_atomic, emu_decode_async, emu_decode_async_arrive;
emu_decode_function emu_decode_bulk, emu_decode_tensor, emu_decode_mbarrier, emu_decode_texture;
emu_decode_function emu_decode_branch, emu_decode_table_branch, emu_decode_call, emu_decode_end;
emu_decode_function emu_decode_bar, emu_decode_fence;
emu_decode_function emu_decode_shuffle, emu_decode_vote, emu_decode_match, emu_decode_redux;
emu_decode_function emu_decode_elect, emu_decode_activemask, emu_decode_nanosleep;
emu_decode_function emu_decode_mapa, emu_decode_rank;
emu_decode_function emu_decode_mma, emu_decode_wmma, emu_decode_wgmma, emu_decode_matrix_move;
