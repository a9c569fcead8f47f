/* Loads PTX and launches it on the test's memory. */
#pragma once

#include "emulator/machine.h"
#include "support/test.h"

enum { FIXTURE_BUFFERS = 16 };

/* Buffers of a test in host memory. A zeroed struct has no buffers. */
typedef struct machine {
    emu_range ranges[FIXTURE_BUFFERS];
    void *blocks[FIXTURE_BUFFERS];
    size_t count;
    emu_program *program;
    uint64_t globals[FIXTURE_BUFFERS];
    emu_counters counters;
    emu_fault fault;
    emu_limits limits;
    atomic_int cancel;
    char printed[4096];
    uint32_t cluster;
    uint32_t dynamic_shared;
} machine;

static inline bool machine_find(void *context, uint64_t address, emu_range *out)
{
    machine *m = context;
    for (size_t i = 0; i < m->count; i++)
        if (address >= m->ranges[i].base && address < m->ranges[i].end) {
            *out = m->ranges[i];
            return true;
        }
    return false;
}

static inline const emu_texture *machine_texture(void *context, uint64_t object)
{
    return object == 1 ? NULL : (const emu_texture *)(uintptr_t)object;
}

static inline void machine_print(void *context, const char *text, size_t bytes)
{
    machine *m = context;
    size_t used = strlen(m->printed);
    snprintf(m->printed + used, sizeof m->printed - used, "%.*s", (int)bytes, text);
}

static inline void *machine_alloc(machine *m, size_t bytes)
{
    uint8_t *block = calloc(1, bytes + 1024);
    assert_non_null(block);
    assert_true(m->count < FIXTURE_BUFFERS);
    uint64_t base = ((uint64_t)(uintptr_t)block + 511) / 256 * 256;
    m->blocks[m->count] = block;
    m->ranges[m->count++] = (emu_range){.base = base, .end = base + bytes};
    return (void *)(uintptr_t)base;
}

static inline void machine_load(machine *m, const char *ptx)
{
    char log[512] = "";
    int code = emu_program_load(&m->program, ptx, strlen(ptx), 90, log, sizeof log);
    if (code)
        print_error("%s\n", log);
    assert_int_equal(code, 0);
    for (size_t i = 0; i < emu_program_global_count(m->program); i++)
        m->globals[i] =
            (uint64_t)(uintptr_t)machine_alloc(m, emu_program_global_at(m->program, i)->bytes);
    for (size_t i = 0; i < emu_program_global_count(m->program); i++)
        emu_program_initialise(m->program, i, m->globals, (void *)(uintptr_t)m->globals[i]);
}

static inline machine machine_of(const char *ptx)
{
    machine m = {.count = 0};
    machine_load(&m, ptx);
    return m;
}

/* Launches with a packed parameter block, and returns the emulator's error code. */
static inline int machine_run(machine *m, const char *kernel, uint32_t grid, uint32_t block,
                              const void *params)
{
    emu_memory memory = {.find = machine_find, .texture = machine_texture, .context = m};
    emu_launch launch = {.program = m->program,
                         .kernel = emu_program_kernel(m->program, kernel),
                         .grid = {grid, 1, 1},
                         .block = {block, 1, 1},
                         .cluster = {m->cluster ? m->cluster : 1, 1, 1},
                         .dynamic_shared_bytes = m->dynamic_shared,
                         .params = params,
                         .globals = m->globals,
                         .limits = &m->limits,
                         .memory = &memory,
                         .print = machine_print,
                         .print_context = m,
                         .cancel = &m->cancel};
    assert_non_null(launch.kernel);
    return emu_run(&launch, &m->counters, &m->fault);
}

static inline void machine_launch(machine *m, const char *kernel, uint32_t grid, uint32_t block,
                                  const void *params)
{
    int code = machine_run(m, kernel, grid, block, params);
    if (code)
        print_error("%s\n", m->fault.message);
    assert_int_equal(code, 0);
}

static inline void machine_free(machine *m)
{
    emu_program_free(m->program);
    for (size_t i = 0; i < m->count; i++)
        free(m->blocks[i]);
    *m = (machine){.count = 0};
}
