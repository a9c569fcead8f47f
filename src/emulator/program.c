/* Loads a program: parses and decodes its text, and computes the resources of each kernel. */
#include "emulator/program.h"

#include "emulator/decode.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    INVALID_PTX = 218,
    OUT_OF_MEMORY = 2,
    REGISTER_RESERVE = 6, /* added for addresses and temporaries, which are not in the PTX */
    MOST_REGISTERS = 255,
    REGISTER_FILE = 65536
};

typedef struct reach {
    const emu_program *program;
    bool *uses_shared;
    uint8_t *state; /* by function: 0: not visited yet, 1: being visited, 2: visited */
    uint32_t *depth_bytes;
} reach;

static void merge_shared(reach *r, const emu_function *function)
{
    for (size_t i = 0; i < r->program->module.shared_count; i++)
        r->uses_shared[i] |= function->uses_shared && function->uses_shared[i];
}

/* Returns the local memory of the function and its deepest chain of calls. A recursive function is
 * counted only once, because its recursive calls use the stack of the launch. */
static uint32_t visit_function(reach *r, size_t index)
{
    const emu_function *function = &r->program->functions[index];
    if (r->state[index])
        return r->state[index] == 2 ? r->depth_bytes[index] : 0;
    r->state[index] = 1;
    merge_shared(r, function);
    uint32_t deepest = 0;
    for (size_t i = 0; i < function->callee_count; i++) {
        uint32_t bytes = visit_function(r, function->callees[i]);
        deepest = bytes > deepest ? bytes : deepest;
    }
    for (size_t i = 0; function->calls_indirectly && i < r->program->module.function_count; i++) {
        uint32_t bytes = r->program->functions[i].source->is_entry ? 0 : visit_function(r, i);
        deepest = bytes > deepest ? bytes : deepest;
    }
    r->state[index] = 2;
    return r->depth_bytes[index] = function->local_bytes + deepest;
}

static void lay_out_shared(emu_program *program, emu_entry *entry, const bool *uses,
                           uint32_t *offsets)
{
    uint32_t at = 0, align = 16;
    for (size_t i = 0; i < program->module.shared_count; i++) {
        const ptx_variable *variable = program->module.shared[i];
        if (variable->is_external || !uses[i]) {
            align = variable->is_external && variable->align > align ? variable->align : align;
            continue;
        }
        at = (at + variable->align - 1) / variable->align * variable->align;
        offsets[i] = at;
        at += (uint32_t)variable->bytes;
    }
    entry->kernel.static_shared_bytes = at;
    entry->kernel.dynamic_shared_offset = (at + align - 1) / align * align;
    for (size_t i = 0; i < program->module.shared_count; i++)
        if (program->module.shared[i]->is_external)
            offsets[i] = entry->kernel.dynamic_shared_offset;
    entry->shared_offsets = offsets;
}

static void describe_entry(emu_program *program, emu_entry *entry, const ptx_function *source,
                           emu_param *params)
{
    emu_kernel *kernel = &entry->kernel;
    kernel->name = source->name;
    kernel->param_count = (uint32_t)source->param_count;
    kernel->param_bytes = source->formal_bytes;
    kernel->const_bytes = program->const_bytes;
    kernel->min_blocks = source->min_blocks;
    kernel->max_registers = source->max_registers;
    kernel->max_cluster_rank = source->max_cluster_rank;
    kernel->explicit_cluster = source->explicit_cluster;
    memcpy(kernel->max_threads, source->max_threads, sizeof kernel->max_threads);
    memcpy(kernel->required_threads, source->required_threads, sizeof kernel->required_threads);
    memcpy(kernel->cluster, source->cluster, sizeof kernel->cluster);
    for (size_t i = 0; i < source->param_count; i++)
        params[i] = (emu_param){.offset = (uint32_t)source->params[i]->offset,
                                .bytes = (uint32_t)source->params[i]->bytes,
                                .align = source->params[i]->align};
    kernel->params = params;
}

/* Returns the maximum registers per thread that .maxnreg and the largest block allow. */
static uint32_t register_limit(const ptx_function *source)
{
    const uint32_t *threads =
        source->max_threads[0] ? source->max_threads : source->required_threads;
    uint64_t block = (uint64_t)threads[0] * threads[1] * threads[2];
    uint32_t limit = source->max_registers ? source->max_registers : MOST_REGISTERS;
    if (block && REGISTER_FILE / block / 8 * 8 < limit)
        limit = (uint32_t)(REGISTER_FILE / block / 8 * 8);
    return limit;
}

static uint32_t registers_of(const emu_function *function)
{
    uint32_t registers = function->live_words + REGISTER_RESERVE;
    uint32_t most = register_limit(function->source);
    return registers > most ? most : registers;
}

static bool make_entry(emu_program *program, size_t index, emu_entry *entry)
{
    const ptx_function *source = program->module.functions[index];
    emu_pool *pool = &program->module.pool;
    size_t functions = program->module.function_count, shared = program->module.shared_count;
    reach r = {.program = program,
               .uses_shared = emu_pool_alloc(pool, shared + 1),
               .state = emu_pool_alloc(pool, functions),
               .depth_bytes = emu_pool_alloc(pool, functions * sizeof(uint32_t))};
    emu_param *params = emu_pool_alloc(pool, source->param_count * sizeof *params + 1);
    uint32_t *offsets = emu_pool_alloc(pool, shared * sizeof *offsets + 1);
    if (pool->failed)
        return false;
    describe_entry(program, entry, source, params);
    entry->function = &program->functions[index];
    entry->kernel.local_bytes = visit_function(&r, index);
    lay_out_shared(program, entry, r.uses_shared, offsets);
    for (size_t i = 0; i < functions; i++)
        if (r.state[i] && registers_of(&program->functions[i]) > entry->kernel.registers)
            entry->kernel.registers = registers_of(&program->functions[i]);
    return true;
}

static bool make_entries(emu_program *program)
{
    size_t count = program->module.function_count;
    program->entries = emu_pool_alloc(&program->module.pool, (count + 1) * sizeof(emu_entry));
    for (size_t i = 0; program->entries && i < count; i++) {
        const ptx_function *source = program->module.functions[i];
        if (!source->is_entry || !source->is_defined)
            continue;
        if (!make_entry(program, i, &program->entries[program->entry_count++]))
            return false;
    }
    return program->entries != NULL;
}

static bool make_globals(emu_program *program)
{
    size_t count = program->module.global_count;
    program->globals = emu_pool_alloc(&program->module.pool, (count + 1) * sizeof(emu_global));
    for (size_t i = 0; program->globals && i < count; i++) {
        const ptx_variable *variable = program->module.globals[i];
        program->globals[i] = (emu_global){
            .name = variable->name,
            .space = variable->space == PTX_CONST ? EMU_SPACE_CONST : EMU_SPACE_GLOBAL,
            .is_external = variable->is_external,
            .is_used = variable->is_used,
            .bytes = variable->bytes,
            .align = variable->align,
        };
        if (variable->space == PTX_CONST)
            program->const_bytes += (uint32_t)variable->bytes;
    }
    return program->globals != NULL;
}

static int fail_load(emu_program *program, int code, char *log, size_t log_bytes, const char *text)
{
    if (text && log_bytes)
        snprintf(log, log_bytes, "%s", text);
    emu_program_free(program);
    return code;
}

int emu_program_load(emu_program **out, const char *ptx, size_t bytes, int cc, char *log,
                     size_t log_bytes)
{
    emu_program *program = calloc(1, sizeof *program);
    if (!program)
        return fail_load(program, OUT_OF_MEMORY, log, log_bytes, "out of memory");
    if (!ptx_parse(&program->module, ptx, bytes)) {
        int code = program->module.pool.failed ? OUT_OF_MEMORY : INVALID_PTX;
        char text[sizeof program->module.error];
        memcpy(text, program->module.error, sizeof text);
        return fail_load(program, code, log, log_bytes, text);
    }
    if (program->module.target > cc) {
        char text[128];
        snprintf(text, sizeof text,
                 "the PTX is for sm_%d and the device is sm_%d: compile for the device",
                 program->module.target, cc);
        return fail_load(program, INVALID_PTX, log, log_bytes, text);
    }
    if (!make_globals(program))
        return fail_load(program, OUT_OF_MEMORY, log, log_bytes, "out of memory");
    if (!emu_decode_program(program, log, log_bytes))
        return fail_load(program, program->module.pool.failed ? OUT_OF_MEMORY : INVALID_PTX, log,
                         log_bytes, NULL);
    if (!make_entries(program))
        return fail_load(program, OUT_OF_MEMORY, log, log_bytes, "out of memory");
    *out = program;
    return 0;
}

void emu_program_free(emu_program *program)
{
    if (!program)
        return;
    ptx_module_free(&program->module);
    free(program->ops);
    free(program->functions);
    free(program->constants);
    free(program);
}

size_t emu_program_kernel_count(const emu_program *program)
{
    return program->entry_count;
}

const emu_kernel *emu_program_kernel_at(const emu_program *program, size_t index)
{
    return &program->entries[index].kernel;
}

const emu_kernel *emu_program_kernel(const emu_program *program, const char *name)
{
    for (size_t i = 0; i < program->entry_count; i++)
        if (strcmp(program->entries[i].kernel.name, name) == 0)
            return &program->entries[i].kernel;
    return NULL;
}

size_t emu_program_global_count(const emu_program *program)
{
    return program->module.global_count;
}

const emu_global *emu_program_global_at(const emu_program *program, size_t index)
{
    return &program->globals[index];
}

void emu_program_initialise(const emu_program *program, size_t index, const uint64_t *addresses,
                            void *out)
{
    const ptx_variable *variable = program->module.globals[index];
    if (!variable->initial)
        memset(out, 0, variable->bytes);
    else
        memcpy(out, variable->initial, variable->bytes);
    for (size_t i = 0; i < variable->relocation_count; i++) {
        const ptx_relocation *relocation = &variable->relocations[i];
        uint64_t value = relocation->is_function ? EMU_FUNCTION_ADDRESS + relocation->index
                                                 : addresses[relocation->index];
        value += (uint64_t)relocation->addend;
        memcpy((uint8_t *)out + relocation->offset, &value, sizeof value);
    }
}
