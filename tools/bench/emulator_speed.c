/* Measures the thread-instructions per second of the emulator, on one and two host threads, for
 * each of gputune's kernels in its default configuration.
 *
 *   emulator_speed [KERNEL...] */
#include "base/text.h"
#include "emulator/machine.h"
#include "farm/measure_value.h"
#include "gpu/device.h"
#include "gpu/nvrtc.h"
#include "program.h"
#include "scenarios.h"
#include "tuner/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, RANGES = 2 * GT_PARAMETER_MAX, GLOBALS = 64, L1_BYTES = 228 * 1024 };

static const bench_scenario scenarios[] = {
    BENCH_ONE("axpy", "n", 1 << 22, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_ONE("copy", "n", 1 << 22, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_TWO("gather", "n", 1 << 22, "entries", 1 << 15),
    BENCH_TWO("histogram", "n", 1 << 22, "bins", 1 << 10),
    BENCH_ONE("paramsum", "COUNT", 8000, GPUTUNE_OBJECTIVE_KERNEL),
};

/* A kernel that is ready to run in host memory. */
typedef struct prepared {
    emu_program *program;
    const emu_kernel *kernel;
    gt_launch launch;
    emu_range ranges[RANGES];
    size_t range_count;
    uint64_t globals[GLOBALS];
    uint8_t *blocks[GT_BLOCK_MAX], *params;
} prepared;

static gt_services services;
static gt_device device;
static const gt_nvrtc *nvrtc;

static void *allocate(prepared *p, uint64_t bytes)
{
    void *memory = calloc(1, bytes + 1);
    if (!memory || p->range_count == RANGES) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    uint64_t base = (uint64_t)(uintptr_t)memory;
    p->ranges[p->range_count++] = (emu_range){.base = base, .end = base + bytes};
    return memory;
}

static bool find(void *context, uint64_t address, emu_range *out)
{
    const prepared *p = context;
    for (size_t i = 0; i < p->range_count; i++) {
        *out = p->ranges[i];
        if (address >= out->base && address < out->end) {
            return true;
        }
    }
    return false;
}

/* ---- preparing ------------------------------------------------------------------------------- */

static gputune_status compile(prepared *p, const gt_request *request)
{
    gt_config config = gt_config_default(request->template);
    gt_source source;
    gt_compiled result = {0};
    char log[512];
    GT_TRY(gt_launch_bind(&p->launch, request->template, &request->problem, &config, &device));
    GT_TRY(gt_source_generate(&source, request->template, &request->problem, &config, &device,
                              gt_catalog_prelude(services.catalog)));
    gt_nvrtc_request wanted = {.text = source.text,
                               .arch = device.arch,
                               .options = (const char *const *)source.options,
                               .option_count = source.option_count,
                               .ptx = true};
    gputune_status status = gt_nvrtc_compile(&result, nvrtc, &wanted, NULL);
    if (status == GPUTUNE_OK && emu_program_load(&p->program, result.image.data, result.image.bytes,
                                                 90, log, sizeof log) != 0) {
        status = gt_fail(GPUTUNE_ECOMPILE, "%s: %s", request->template->name, log);
    }
    gt_compiled_free(&result);
    gt_source_free(&source);
    GT_TRY(status);
    p->kernel = emu_program_kernel(p->program, p->launch.steps[0].entry);
    bool fits = p->kernel && emu_program_global_count(p->program) <= GLOBALS;
    return fits ? GPUTUNE_OK
                : gt_fail(GPUTUNE_ECOMPILE, "%s: no such kernel", p->launch.steps[0].entry);
}

static uint64_t filled(prepared *p, const gt_workload *workload, const gt_buffer *buffer,
                       uint32_t index)
{
    void *memory = allocate(p, buffer->bytes);
    if (buffer->direction != GT_OUT) {
        gt_fill_host(memory, workload, buffer, gt_fill_seed(1, index));
    }
    return (uint64_t)(uintptr_t)memory;
}

/* Returns the caller's argument of that index: the block first, if there is one. */
static uint64_t argument(prepared *p, const gt_workload *workload, int index)
{
    index -= (int)workload->block_count;
    uint32_t which = workload->arguments[index].index;
    return workload->arguments[index].is_buffer
               ? filled(p, workload, &workload->buffers[which], which)
               : gt_number_bits(gt_scalar_number(workload, &workload->scalars[which]));
}

static void place_parameters(prepared *p, const gt_workload *workload)
{
    p->params = allocate(p, p->kernel->param_bytes);
    for (uint32_t i = 0; i < p->launch.parameter_count; i++) {
        const gt_parameter *parameter = &p->launch.parameters[i];
        uint64_t bits = 0;
        const void *from = &bits;
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            bits = (uint64_t)(uintptr_t)allocate(p, parameter->scratch_bytes);
        } else if (parameter->kind != GT_PARAMETER_BLOCK) {
            bits = argument(p, workload, parameter->argument);
        } else if (p->launch.blocks[parameter->argument].pass != GT_PASS_GLOBAL) {
            from = p->blocks[parameter->argument];
        } else {
            bits = (uint64_t)(uintptr_t)p->blocks[parameter->argument];
        }
        memcpy(p->params + p->kernel->params[i].offset, from, parameter->bytes);
    }
}

static void place_globals(prepared *p)
{
    size_t count = emu_program_global_count(p->program);
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = emu_program_global_at(p->program, i)->bytes;
        p->globals[i] = (uint64_t)(uintptr_t)allocate(p, bytes);
    }
    for (size_t i = 0; i < count; i++) {
        const emu_global *global = emu_program_global_at(p->program, i);
        void *at = (void *)(uintptr_t)p->globals[i];
        emu_program_initialise(p->program, i, p->globals, at);
        for (uint32_t k = 0; k < p->launch.block_count; k++) {
            const gt_block *block = &p->launch.blocks[k];
            uint32_t rest = gt_block_copied(block);
            if (strcmp(global->name, block->symbol) == 0 && rest <= global->bytes) {
                memcpy(at, p->blocks[k] + block->by_value_bytes, rest);
            }
        }
    }
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Measures thread-instructions per second, the best of several rounds. */
static gputune_status measure(double *out, const prepared *p, uint32_t workers)
{
    const gt_kernel_step *g = &p->launch.steps[0];
    emu_memory memory = {.find = find, .context = (void *)(uintptr_t)p};
    emu_limits limits = {
        .sm_count = (uint32_t)device.sm_count, .l1_bytes = L1_BYTES, .workers = workers};
    emu_launch launch = {.program = p->program,
                         .kernel = p->kernel,
                         .grid = {g->grid[0], g->grid[1], g->grid[2]},
                         .block = {g->block[0], g->block[1], g->block[2]},
                         .cluster = {g->cluster[0], g->cluster[1], g->cluster[2]},
                         .dynamic_shared_bytes = g->shared_bytes,
                         .params = p->params,
                         .globals = p->globals,
                         .limits = &limits,
                         .memory = &memory};
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        emu_counters counters;
        emu_fault fault;
        double start = now_s();
        if (emu_run(&launch, &counters, &fault) != 0) {
            return gt_fail(GPUTUNE_ECUDA, "%s: %s", p->launch.steps[0].entry, fault.message);
        }
        double rate = (double)counters.thread_instructions / (now_s() - start);
        best = rate > best ? rate : best;
    }
    *out = best;
    return GPUTUNE_OK;
}

static gputune_status run(const gt_request *request, prepared *p)
{
    const gt_workload *workload = &request->workload;
    double rates[2];
    GT_TRY(compile(p, request));
    for (uint32_t i = 0; i < workload->block_count; i++) {
        p->blocks[i] =
            (uint8_t *)(uintptr_t)filled(p, workload, &workload->blocks[i], GT_PARAMETER_MAX + i);
    }
    place_parameters(p, workload);
    place_globals(p);
    for (uint32_t workers = 1; workers <= 2; workers++) {
        GT_TRY(measure(&rates[workers - 1], p, workers));
    }
    printf("%-12s %12.0f %12.0f %6.2f\n", request->template->name, rates[0] / 1e6, rates[1] / 1e6,
           rates[1] / rates[0]);
    return GPUTUNE_OK;
}

static gputune_status run_scenario(const bench_scenario *scenario)
{
    static prepared p;
    gt_request *request;
    p = (prepared){0};
    GT_TRY(gt_request_make(&request, &services, &device, scenario->kernel, bench_sizes(scenario),
                           NULL));
    gputune_status status = run(request, &p);
    for (size_t i = 0; i < p.range_count; i++) {
        free((void *)(uintptr_t)p.ranges[i].base);
    }
    emu_program_free(p.program);
    gt_request_free(request);
    return status;
}

static gputune_status open_services(void)
{
    const gt_driver *driver;
    GT_TRY(gt_driver_open(&driver, "emu:h200"));
    GT_TRY(gt_device_query(&device, driver, 0));
    GT_TRY(gt_nvrtc_open(&nvrtc, driver->version));
    gt_device_set_nvrtc(&device, gt_nvrtc_version(nvrtc));
    services.device = &device;
    return gt_catalog_open(&services.catalog, NULL, NULL);
}

int main(int count, char **names)
{
    gputune_status status = open_services();
    printf("million thread-instructions/s, best of %d\n%-12s %12s %12s %6s\n", ROUNDS, "kernel",
           "one thread", "two threads", "ratio");
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios && status == GPUTUNE_OK; i++) {
        if (bench_wanted(&scenarios[i], count - 1, names + 1)) {
            status = run_scenario(&scenarios[i]);
        }
    }
    gt_catalog_close(services.catalog);
    if (status < 0) {
        fprintf(stderr, "%s\n", gt_message());
    }
    return status < 0;
}
