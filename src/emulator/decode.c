/* Decodes the bodies of functions into operations, with a table of decoders for the opcodes. */
#include "emulator/decode.h"

#include "emulator/liveness.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *root;
    emu_decode_function *decode;
} roots[] = {
    {"abs", emu_decode_float_unary},
    {"activemask", emu_decode_activemask},
    {"add", emu_decode_float_arithmetic},
    {"addc", emu_decode_integer},
    {"and", emu_decode_logic},
    {"applypriority", emu_decode_prefetch},
    {"atom", emu_decode_atomic},
    {"bar", emu_decode_bar},
    {"barrier", emu_decode_bar},
    {"bfe", emu_decode_bits},
    {"bfi", emu_decode_bits},
    {"bfind", emu_decode_bits},
    {"bmsk", emu_decode_bits},
    {"bra", emu_decode_branch},
    {"brev", emu_decode_bits},
    {"brkpt", emu_decode_end},
    {"brx", emu_decode_table_branch},
    {"call", emu_decode_call},
    {"clz", emu_decode_bits},
    {"cnot", emu_decode_logic},
    {"copysign", emu_decode_float_unary},
    {"cos", emu_decode_approximate},
    {"cp", emu_decode_async},
    {"createpolicy", emu_decode_prefetch},
    {"cvt", emu_decode_cvt},
    {"cvta", emu_decode_cvta},
    {"discard", emu_decode_prefetch},
    {"div", emu_decode_float_arithmetic},
    {"dp2a", emu_decode_multiply},
    {"dp4a", emu_decode_multiply},
    {"elect", emu_decode_elect},
    {"ex2", emu_decode_approximate},
    {"exit", emu_decode_end},
    {"fence", emu_decode_fence},
    {"fma", emu_decode_float_fma},
    {"fns", emu_decode_bits},
    {"getctarank", emu_decode_rank},
    {"griddepcontrol", emu_decode_fence},
    {"isspacep", emu_decode_isspacep},
    {"ld", emu_decode_load},
    {"ldmatrix", emu_decode_matrix_move},
    {"ldu", emu_decode_load},
    {"lg2", emu_decode_approximate},
    {"lop3", emu_decode_logic},
    {"mad", emu_decode_float_fma},
    {"mad24", emu_decode_multiply},
    {"madc", emu_decode_multiply},
    {"mapa", emu_decode_mapa},
    {"match", emu_decode_match},
    {"max", emu_decode_min_max},
    {"mbarrier", emu_decode_mbarrier},
    {"membar", emu_decode_fence},
    {"min", emu_decode_min_max},
    {"mma", emu_decode_mma},
    {"mov", emu_decode_mov},
    {"mul", emu_decode_float_arithmetic},
    {"mul24", emu_decode_multiply},
    {"nanosleep", emu_decode_nanosleep},
    {"neg", emu_decode_float_unary},
    {"not", emu_decode_logic},
    {"or", emu_decode_logic},
    {"pmevent", emu_decode_prefetch},
    {"popc", emu_decode_bits},
    {"prefetch", emu_decode_prefetch},
    {"prefetchu", emu_decode_prefetch},
    {"prmt", emu_decode_bits},
    {"rcp", emu_decode_float_unary},
    {"red", emu_decode_atomic},
    {"redux", emu_decode_redux},
    {"rem", emu_decode_integer},
    {"ret", emu_decode_end},
    {"rsqrt", emu_decode_approximate},
    {"sad", emu_decode_integer},
    {"selp", emu_decode_selp},
    {"set", emu_decode_set},
    {"setmaxnreg", emu_decode_prefetch},
    {"setp", emu_decode_setp},
    {"shf", emu_decode_bits},
    {"shfl", emu_decode_shuffle},
    {"shl", emu_decode_logic},
    {"shr", emu_decode_logic},
    {"sin", emu_decode_approximate},
    {"slct", emu_decode_slct},
    {"sqrt", emu_decode_float_unary},
    {"st", emu_decode_store},
    {"stmatrix", emu_decode_matrix_move},
    {"sub", emu_decode_float_arithmetic},
    {"subc", emu_decode_integer},
    {"szext", emu_decode_bits},
    {"tanh", emu_decode_approximate},
    {"testp", emu_decode_float_unary},
    {"tex", emu_decode_texture},
    {"trap", emu_decode_end},
    {"vabsdiff2", emu_decode_integer},
    {"vabsdiff4", emu_decode_integer},
    {"vote", emu_decode_vote},
    {"wgmma", emu_decode_wgmma},
    {"wmma", emu_decode_wmma},
    {"xor", emu_decode_logic},
};

static emu_decode_function *find_root(const char *root, size_t length)
{
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        if (strlen(roots[i].root) == length && memcmp(roots[i].root, root, length) == 0)
            return roots[i].decode;
    return NULL;
}

static void split_opcode(emu_decoder *decoder)
{
    const char *at = decoder->in->opcode;
    decoder->word_count = 0;
    decoder->taken = 1;
    for (;;) {
        size_t length = strcspn(at, ".");
        if (decoder->word_count == EMU_MAX_WORDS) {
            emu_decode_fail(decoder, "too many modifiers");
            return;
        }
        decoder->words[decoder->word_count] = at;
        decoder->lengths[decoder->word_count++] = length;
        if (!at[length])
            return;
        at += length + 1;
    }
}

/* Refuses modifiers that no decoder has used, because they may change the meaning of the opcode. */
static void check_words(emu_decoder *decoder)
{
    for (unsigned i = 1; i < decoder->word_count; i++)
        if (!(decoder->taken >> i & 1))
            emu_decode_fail(decoder, "the modifier .%.*s is not supported here",
                            (int)decoder->lengths[i], decoder->words[i]);
}

static void decode_guard(emu_decoder *decoder)
{
    ptx_operand guard = decoder->in->guard;
    decoder->op->guard = EMU_TRUE_SLOT;
    if (!decoder->in->has_guard)
        return;
    decoder->op->guard_flip = guard.is_negated ? UINT32_MAX : 0;
    guard.is_negated = false;
    decoder->op->guard = emu_source(decoder, &guard, 0);
}

static void decode_instruction(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    const ptx_instruction *in = decoder->in;
    *op = (emu_op){.line = (uint32_t)in->line, .unit = EMU_CLASS_ALU};
    decoder->flows[decoder->index] = (emu_flow){.falls_through = true};
    split_opcode(decoder);
    if (decoder->failed)
        return;
    emu_decode_function *decode = find_root(decoder->words[0], decoder->lengths[0]);
    if (!decode) {
        emu_decode_fail(decoder, "the emulator has no such opcode");
        return;
    }
    decode_guard(decoder);
    decode(decoder);
    if (!decoder->failed)
        check_words(decoder);
    if (!decoder->failed && !op->run)
        emu_decode_fail(decoder, "the emulator has no such form");
}

static void decode_pass(emu_decoder *decoder)
{
    decoder->touch_count = 0;
    decoder->callee_count = 0;
    for (size_t i = 0; i < decoder->function->instruction_count && !decoder->failed; i++) {
        decoder->index = i;
        decoder->in = &decoder->function->instructions[i];
        decoder->op = &decoder->program->ops[decoder->out->first + i];
        decode_instruction(decoder);
    }
}

/* Appends a return, because a thread that reaches the end of a body returns. */
static void append_return(emu_decoder *decoder)
{
    static const ptx_instruction end = {.opcode = "ret"};
    emu_flow *flows = decoder->flows, last;
    decoder->index = 0;
    decoder->in = &end;
    decoder->op = &decoder->program->ops[decoder->out->end - 1];
    decoder->flows = &last;
    decode_instruction(decoder);
    decoder->flows = flows;
}

/* ---- memory waits ---- */

/* The load level of each register. This is the number of loads, since the start of the basic block,
 * in the longest chain of dependent loads that leads to the register's value. Loads after a barrier
 * have higher levels than all loads before the barrier. */
typedef struct load_levels {
    uint8_t *of; /* by register */
    uint8_t floor, deepest, waited;
} load_levels;

static void forget_levels(load_levels *levels, const emu_decoder *decoder)
{
    memset(levels->of, 0, decoder->function->register_count);
    levels->floor = levels->deepest = levels->waited = 0;
}

/* Updates the levels after an instruction that uses the registers in decoder->touches[from, to).
 * Returns true if the warp must first wait for the level of a value that the instruction needs. */
static bool follow_levels(load_levels *levels, const emu_decoder *decoder, const emu_flow *flow,
                          size_t from, size_t to)
{
    uint8_t needs = 0;
    for (size_t i = from; i < to; i++) {
        uint8_t level = levels->of[decoder->touches[i].reg];
        needs = !decoder->touches[i].writes && level > needs ? level : needs;
    }
    bool waits = needs > levels->waited;
    levels->waited = waits ? needs : levels->waited;
    uint8_t made = needs;
    if (flow->is_load) {
        made = (uint8_t)((needs > levels->floor ? needs : levels->floor) + 1);
        levels->deepest = made > levels->deepest ? made : levels->deepest;
    }
    for (size_t i = from; i < to && made < UINT8_MAX; i++) {
        if (decoder->touches[i].writes) {
            levels->of[decoder->touches[i].reg] = made;
        }
    }
    return waits;
}

/* Marks the operations at which a warp waits for memory. ptxas issues the loads of a basic block as
 * soon as their addresses are known, so a warp waits once for each level of dependent loads, and
 * not for each load. A warp also waits at the end of a block and at a barrier. */
static void mark_waits(emu_decoder *decoder)
{
    load_levels levels = {.of = calloc(decoder->function->register_count + 1, 1)};
    size_t t = 0;
    for (size_t i = 0; levels.of && i < decoder->function->instruction_count; i++) {
        const emu_flow *flow = &decoder->flows[i];
        emu_op *op = &decoder->program->ops[decoder->out->first + i];
        size_t from = t;
        while (t < decoder->touch_count && decoder->touches[t].instruction == i) {
            t++;
        }
        op->waits = follow_levels(&levels, decoder, flow, from, t);
        if (flow->count || !flow->falls_through) {
            op->waits |= levels.deepest > levels.waited;
            forget_levels(&levels, decoder);
        } else if (op->unit == EMU_CLASS_BARRIER) {
            op->waits |= levels.deepest > levels.waited;
            levels.floor = levels.waited = levels.deepest;
        }
    }
    free(levels.of);
}

/* ---- functions ---- */

/* Gives each register separate storage in the first pass, which only collects register uses. */
static void spread_registers(uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++)
        slots[i] = EMU_FIRST_SLOT + (uint32_t)i * 512;
}

static void keep_touches(emu_decoder *decoder)
{
    size_t count = decoder->function->instruction_count, t = 0;
    uint32_t *touches = emu_decode_alloc(decoder, decoder->touch_count * sizeof *touches + 1);
    uint32_t *first = emu_decode_alloc(decoder, (count + 1) * sizeof *first);
    for (size_t i = 0; touches && first && i <= count; i++) {
        first[i] = (uint32_t)t;
        for (; t < decoder->touch_count && decoder->touches[t].instruction == i && i < count; t++)
            touches[t] = decoder->touches[t].reg << 1 | decoder->touches[t].writes;
    }
    decoder->out->touches = touches;
    decoder->out->first_touch = first;
}

static void keep_lists(emu_decoder *decoder)
{
    decoder->out->callees = decoder->callees;
    decoder->out->callee_count = decoder->callee_count;
    decoder->out->uses_shared = decoder->uses_shared;
}

/* Decodes the body: the first pass collects register uses, the second uses the final storage. */
static void decode_body(emu_decoder *decoder, uint32_t *slots)
{
    spread_registers(slots, decoder->function->register_count);
    decode_pass(decoder);
    if (!decoder->failed && !emu_assign_registers(decoder, slots))
        emu_decode_fail(decoder, "out of memory");
    decode_pass(decoder);
    if (decoder->failed)
        return;
    mark_waits(decoder);
    keep_touches(decoder);
    append_return(decoder);
    keep_lists(decoder);
}

static void decode_function(emu_decoder *decoder)
{
    const ptx_function *function = decoder->function;
    uint32_t *slots = calloc(function->register_count + 1, sizeof *slots);
    size_t flow_bytes = (function->instruction_count + 1) * sizeof *decoder->flows;
    decoder->flows = emu_decode_alloc(decoder, flow_bytes);
    decoder->uses_shared = emu_decode_alloc(decoder, decoder->program->module.shared_count + 1);
    decoder->slots = slots;
    decoder->callees = NULL;
    decoder->callee_capacity = 0;
    decoder->in = NULL;
    if (slots && decoder->flows)
        decode_body(decoder, slots);
    else
        emu_decode_fail(decoder, "out of memory");
    free(slots);
    decoder->out->flows = decoder->flows;
}

static bool reserve_ops(emu_program *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->module.function_count; i++)
        count += program->module.functions[i]->instruction_count + 1;
    program->functions = calloc(program->module.function_count + 1, sizeof *program->functions);
    program->ops = calloc(count + 1, sizeof *program->ops);
    return program->functions && program->ops;
}

static void lay_out(emu_decoder *decoder, size_t index)
{
    emu_program *program = decoder->program;
    const ptx_function *source = program->module.functions[index];
    size_t length = source->is_defined ? source->instruction_count + 1 : 0;
    program->functions[index] = (emu_function){
        .source = source,
        .first = (uint32_t)program->op_count,
        .end = (uint32_t)(program->op_count + length),
        .param_bytes = (source->param_bytes + 15) & ~15u,
        .local_bytes = (source->local_bytes + 15) & ~15u,
    };
    program->op_count += length;
}

bool emu_decode_program(emu_program *program, char *log, size_t log_bytes)
{
    emu_decoder decoder = {.program = program, .log = log, .log_bytes = log_bytes};
    if (!reserve_ops(program)) {
        emu_decode_fail(&decoder, "out of memory");
        return false;
    }
    for (size_t i = 0; i < program->module.function_count; i++)
        lay_out(&decoder, i);
    for (size_t i = 0; i < program->module.function_count && !decoder.failed; i++) {
        decoder.function = program->module.functions[i];
        decoder.out = &program->functions[i];
        if (decoder.function->is_defined)
            decode_function(&decoder);
    }
    free(decoder.touches);
    free(decoder.constant_index);
    return !decoder.failed;
}
