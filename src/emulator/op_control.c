/* Branches, calls, returns and exits. */
#include "emulator/check.h"
#include "emulator/decode.h"

#include "emulator/builtin.h"

enum { LAUNCH_FAILED = 719, INVALID_PC = 718, OUT_OF_MEMORY = 2, CALL_BYTES = 16 };

/* ---- branches ---- */

static void branch(emu_warp *warp, const emu_op *op)
{
    emu_branch(warp, warp->mask, (uint32_t)op->imm);
}

static bool find_target(emu_decoder *decoder, const char *name, uint32_t *out)
{
    const ptx_label *label = ptx_function_label(decoder->function, decoder->in->scope, name);
    if (!label || label->targets) {
        emu_decode_fail(decoder, "unknown label %s", name);
        return false;
    }
    *out = (uint32_t)label->instruction;
    return true;
}

static void set_flow(emu_decoder *decoder, const uint32_t *targets, size_t count,
                     bool falls_through)
{
    /* a target after the last instruction is a return, not a target in the function */
    size_t kept = 0;
    uint32_t *inside = emu_decode_alloc(decoder, count * sizeof *inside + 1);
    for (size_t i = 0; inside && i < count; i++)
        if (targets[i] < decoder->function->instruction_count)
            inside[kept++] = targets[i];
    decoder->flows[decoder->index] =
        (emu_flow){.targets = inside, .count = (uint32_t)kept, .falls_through = falls_through};
}

void emu_decode_branch(emu_decoder *decoder)
{
    uint32_t target = 0;
    emu_take(decoder, "uni");
    const ptx_operand *operand = emu_operand(decoder, 0);
    if (!emu_operands(decoder, 1, 1))
        return;
    if (operand->kind != PTX_OPERAND_NAME)
        emu_decode_fail(decoder, "needs a label");
    else if (find_target(decoder, operand->name, &target)) {
        set_flow(decoder, &target, 1, decoder->in->has_guard);
        decoder->op->run = branch;
        decoder->op->unit = EMU_CLASS_BRANCH;
        decoder->op->imm = decoder->out->first + target;
    }
}

/* ---- brx.idx ---- */

static void table_branch(emu_warp *warp, const emu_op *op)
{
    const uint32_t *index = emu_lanes(warp, op->a), *targets = op->extra;
    uint32_t rest = warp->mask;
    while (rest) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint32_t same = 0;
        EMU_FOR_LANES(other, rest)
        same |= (uint32_t)(index[other] == index[lane]) << other;
        if (index[lane] >= op->count) {
            emu_raise(warp, op, INVALID_PC, lane, 0, "brx.idx: index %u, but there are %u targets",
                      index[lane], op->count);
            return;
        }
        rest &= ~same;
        emu_branch(warp, same, targets[index[lane]]);
    }
}

void emu_decode_table_branch(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    emu_take(decoder, "idx");
    emu_take(decoder, "uni");
    const ptx_operand *name = emu_operand(decoder, 1);
    if (!emu_operands(decoder, 2, 2))
        return;
    const ptx_label *table =
        name->kind == PTX_OPERAND_NAME
            ? ptx_function_label(decoder->function, decoder->in->scope, name->name)
            : NULL;
    uint32_t *targets = NULL;
    if (!table || !table->targets)
        emu_decode_fail(decoder, "needs a .branchtargets table");
    else if (table->target_count > UINT8_MAX)
        emu_decode_fail(decoder, "a table of more than 255 targets is not supported");
    else
        targets = emu_decode_alloc(decoder, table->target_count * sizeof *targets + 1);
    for (size_t i = 0; targets && i < table->target_count; i++)
        if (!find_target(decoder, table->targets[i], &targets[i]))
            return;
    if (!targets)
        return;
    set_flow(decoder, targets, table->target_count, decoder->in->has_guard);
    for (size_t i = 0; i < table->target_count; i++)
        targets[i] += decoder->out->first;
    op->a = emu_source(decoder, emu_operand(decoder, 0), 4);
    op->run = table_branch;
    op->unit = EMU_CLASS_BRANCH;
    op->extra = targets;
    op->count = (uint8_t)table->target_count;
}

/* ---- calls ---- */

static void copy_parameter(const emu_frame *to, size_t at, const emu_frame *from, size_t offset,
                           size_t bytes, uint32_t mask)
{
    EMU_FOR_LANES(lane, mask)
    {
        uint8_t *target = emu_frame_params(to, lane) + at;
        const uint8_t *source = emu_frame_params(from, lane) + offset;
        if (bytes == 8)
            memcpy(target, source, 8);
        else if (bytes == 4)
            memcpy(target, source, 4);
        else
            memcpy(target, source, bytes);
    }
}

static void copy_in(const emu_frame *frame, const emu_frame *caller, const emu_call *call,
                    uint32_t mask)
{
    ptx_variable *const *params = frame->function->source->params;
    for (uint32_t i = 0; i < call->argument_count; i++)
        copy_parameter(frame, params[i]->offset, caller, call->arguments[i], params[i]->bytes,
                       mask);
}

static void copy_out(const emu_frame *frame, uint32_t mask)
{
    ptx_variable *const *returns = frame->function->source->returns;
    const emu_call *call = frame->call->extra;
    for (uint32_t i = 0; i < call->result_count; i++)
        copy_parameter(frame->parent, call->results[i], frame, returns[i]->offset,
                       returns[i]->bytes, mask);
}

static void enter_function(emu_warp *warp, const emu_op *op, uint32_t mask,
                           const emu_function *function)
{
    const emu_call *call = op->extra;
    unsigned lane = (unsigned)__builtin_ctz(mask);
    const ptx_function *source = function->source;
    if (call->argument_count != source->param_count || call->result_count > source->return_count) {
        emu_raise(warp, op, INVALID_PC, lane, 0, "call of %s with another number of parameters",
                  source->name);
        return;
    }
    emu_frame *frame = emu_frame_new(warp, function, warp->frame);
    if (!frame) {
        emu_raise(warp, op, OUT_OF_MEMORY, lane, 0, "out of host memory");
        return;
    }
    frame->call = op;
    frame->inside = mask;
    frame->local_base += CALL_BYTES;
    if (frame->local_base + function->local_bytes > warp->local_bytes) {
        emu_frame_return(frame, mask);
        emu_raise(warp, op, LAUNCH_FAILED, lane, 0,
                  "stack overflow: the stack of a thread has %u bytes", warp->local_bytes);
        return;
    }
    copy_in(frame, warp->frame, call, mask);
    emu_leave_split(warp, mask);
    emu_add_split(warp, frame, function->first, mask);
}

static void call_direct(emu_warp *warp, const emu_op *op)
{
    const emu_call *call = op->extra;
    enter_function(warp, op, warp->mask,
                   &warp->worker->run->launch->program->functions[call->callee]);
}

static void call_indirect(emu_warp *warp, const emu_op *op)
{
    const emu_program *program = warp->worker->run->launch->program;
    const uint64_t *target = emu_lanes(warp, op->a);
    uint32_t rest = warp->mask;
    while (rest) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t address = target[lane], index = address - EMU_FUNCTION_ADDRESS;
        uint32_t same = 0;
        EMU_FOR_LANES(other, rest)
        same |= (uint32_t)(target[other] == address) << other;
        rest &= ~same;
        if (index >= program->module.function_count ||
            !program->module.functions[index]->is_defined) {
            emu_raise(warp, op, INVALID_PC, lane, address,
                      "call through an invalid function pointer");
            return;
        }
        enter_function(warp, op, same, &program->functions[index]);
    }
}

static const uint32_t *area_offsets(emu_decoder *decoder, const ptx_operand *list, uint32_t *count)
{
    uint32_t *offsets = emu_decode_alloc(decoder, (list ? list->count : 0) * sizeof *offsets + 1);
    for (uint32_t i = 0; offsets && list && i < list->count; i++) {
        const ptx_operand *item = &list->items[i];
        if (item->kind != PTX_OPERAND_VARIABLE || item->variable->space != PTX_PARAM ||
            item->variable->is_kernel_param) {
            emu_decode_fail(decoder, "arguments must be .param variables");
            return NULL;
        }
        offsets[i] = (uint32_t)item->variable->offset;
    }
    *count = list ? list->count : 0;
    return offsets;
}

static void note_callee(emu_decoder *decoder, uint32_t index)
{
    uint32_t *callees =
        emu_pool_grow(&decoder->program->module.pool, decoder->callees, decoder->callee_count,
                      &decoder->callee_capacity, sizeof *callees);
    if (!callees) {
        emu_decode_fail(decoder, "out of memory");
        return;
    }
    decoder->callees = callees;
    callees[decoder->callee_count++] = index;
}

static void resolve_callee(emu_decoder *decoder, const char *name, emu_call *call)
{
    const ptx_module *module = &decoder->program->module;
    for (size_t i = 0; i < module->function_count; i++) {
        if (strcmp(module->functions[i]->name, name) != 0)
            continue;
        call->callee = (uint32_t)i;
        decoder->op->run = call_direct;
        if (!module->functions[i]->is_defined)
            decoder->op->run = emu_builtin_find(name);
        else
            note_callee(decoder, (uint32_t)i);
        break;
    }
    if (!decoder->op->run)
        emu_decode_fail(decoder,
                        "the function %s is not defined in this module, and the emulator "
                        "has no function of that name",
                        name);
}

void emu_decode_call(emu_decoder *decoder)
{
    emu_take(decoder, "uni");
    size_t at = 0;
    emu_call *call = emu_decode_alloc(decoder, sizeof *call);
    if (!call || !emu_operands(decoder, 1, 4))
        return;
    const ptx_operand *results = NULL, *arguments = NULL;
    if (emu_operand(decoder, 0)->kind == PTX_OPERAND_LIST)
        results = emu_operand(decoder, at++);
    const ptx_operand *target = emu_operand(decoder, at++);
    if (emu_operand(decoder, at)->kind == PTX_OPERAND_LIST)
        arguments = emu_operand(decoder, at);
    call->arguments = area_offsets(decoder, arguments, &call->argument_count);
    call->results = area_offsets(decoder, results, &call->result_count);
    decoder->op->unit = EMU_CLASS_BRANCH;
    decoder->op->extra = call;
    if (target->kind == PTX_OPERAND_NAME) {
        resolve_callee(decoder, target->name, call);
    } else {
        call->callee = EMU_INDIRECT;
        decoder->out->calls_indirectly = true;
        decoder->op->run = call_indirect;
        decoder->op->a = emu_source(decoder, target, 8);
    }
}

/* ---- ends ---- */

static void leave_kernel(emu_warp *warp, const emu_op *op)
{
    (void)op;
    emu_block *block = warp->block;
    uint32_t mask = warp->mask;
    emu_frame_exit(warp->frame, mask);
    emu_leave_split(warp, mask);
    warp->dead |= mask;
    block->live_threads -= emu_popcount(mask);
    block->group->live_threads -= emu_popcount(mask);
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == EMU_AT_SYNC)
            warp->splits[i].state = EMU_READY;
    emu_barriers_check(block);
    emu_cluster_check(block->group);
    if (warp->worker->check && block->live_threads == 0)
        emu_check_block_end(block);
}

static void leave_function(emu_warp *warp, const emu_op *op)
{
    emu_frame *frame = warp->frame;
    if (!frame->parent) {
        leave_kernel(warp, op);
        return;
    }
    copy_out(frame, warp->mask);
    emu_frame *parent = frame->parent;
    uint32_t back = frame->return_pc, mask = warp->mask;
    emu_leave_split(warp, mask);
    emu_frame_return(frame, mask);
    emu_add_split(warp, parent, back, mask);
}

static void trap(emu_warp *warp, const emu_op *op)
{
    emu_raise(warp, op, LAUNCH_FAILED, (unsigned)__builtin_ctz(warp->mask), 0, "trap");
}

void emu_decode_end(emu_decoder *decoder)
{
    static const emu_form forms[] = {
        {"ret", leave_function, "", EMU_CLASS_BRANCH},
        {"ret.uni", leave_function, "", EMU_CLASS_BRANCH},
        {"exit", leave_kernel, "", EMU_CLASS_BRANCH},
        {"trap", trap, "", EMU_CLASS_BRANCH},
        {"brkpt", trap, "", EMU_CLASS_BRANCH},
    };
    emu_decode_forms(decoder, forms, sizeof forms / sizeof forms[0]);
    set_flow(decoder, NULL, 0, decoder->in->has_guard);
}
