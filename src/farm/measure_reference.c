/* Loads and launches the template's reference, check and init kernels. */
#include "farm/measure_parts.h"

#include "gpu/launcher.h"

#include <stdlib.h>

/* Caller argument `index` as the address of a kernel parameter. */
static void *argument_value(gt_workspace *workspace, int index, const CUdeviceptr *buffers)
{
    const gt_workload *workload = &workspace->workload;
    if ((uint32_t)index < workload->block_count) {
        return &workspace->device_blocks[index];
    }
    uint32_t at = (uint32_t)index - workload->block_count;
    uint32_t item = workload->arguments[at].index;
    return workload->arguments[at].is_buffer ? (void *)&buffers[item] : workspace->scalars[item];
}

static gputune_status clear(gt_measure *measure, const gt_launch *launch, void **parameters)
{
    for (uint32_t i = 0; i < launch->clear_count; ++i) {
        CUdeviceptr address = *(CUdeviceptr *)parameters[launch->clears[i].parameter];
        GT_CALL(measure, MemsetD8Async, address, 0, launch->clears[i].bytes, measure->stream);
    }
    return GPUTUNE_OK;
}

/* Fills the __constant__ symbols, as the launcher does for a variant. */
static gputune_status fill_constants(gt_measure *measure, const gt_workspace *workspace)
{
    for (uint32_t i = 0; i < workspace->workload.block_count; ++i) {
        if (workspace->constants[i]) {
            GT_CALL(measure, MemcpyDtoDAsync, workspace->constants[i], workspace->device_blocks[i],
                    workspace->workload.blocks[i].bytes, measure->stream);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status start(gt_measure *measure, gt_workspace *workspace, CUfunction function,
                            const gt_launch *launch, const CUdeviceptr *buffers,
                            CUdeviceptr *scratch)
{
    const gt_kernel_step *shape = &launch->steps[0];
    void *parameters[GT_PARAMETER_MAX];
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        const gt_parameter *parameter = &launch->parameters[i];
        void *argument = parameter->argument < 0
                             ? NULL
                             : argument_value(workspace, parameter->argument, buffers);
        parameters[i] = parameter->kind == GT_PARAMETER_VALUE ? (void *)&parameter->scratch_bytes
                        : parameter->kind == GT_PARAMETER_SCRATCH ? &scratch[i]
                                                                  : argument;
        if (parameter->kind == GT_PARAMETER_SCRATCH && argument) {
            GT_CALL(measure, MemcpyDtoDAsync, scratch[i], *(CUdeviceptr *)argument,
                    parameter->scratch_bytes, measure->stream);
        }
    }
    GT_TRY(clear(measure, launch, parameters));
    GT_TRY(fill_constants(measure, workspace));
    GT_CALL(measure, LaunchKernel, function, shape->grid[0], shape->grid[1], shape->grid[2],
            shape->block[0], shape->block[1], shape->block[2], shape->shared_bytes, measure->stream,
            parameters, NULL);
    return GPUTUNE_OK;
}

/* The template's own kernels as a reference: launched as variants are. */
static gputune_status launch_itself(gt_measure *measure, gt_workspace *workspace,
                                    const CUdeviceptr *buffers)
{
    const void *arguments[GT_PARAMETER_MAX + GT_BLOCK_MAX];
    gt_workspace_bind(arguments, workspace, buffers);
    gputune_status status = gt_launcher_launch(measure->itself[workspace - measure->workspaces],
                                               measure->stream, arguments);
    measure->lost |= status == GPUTUNE_ECRASHED;
    return status;
}

gputune_status gt_reference_launch(gt_measure *measure, gt_workspace *workspace)
{
    CUdeviceptr buffers[GT_PARAMETER_MAX];
    for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
        const gt_slot *slot = &workspace->slots[i];
        buffers[i] = slot->expected ? slot->expected : slot->address;
    }
    return workspace->workload.refers_to_itself
               ? launch_itself(measure, workspace, buffers)
               : start(measure, workspace, workspace->reference, &workspace->workload.reference,
                       buffers, workspace->scratch[0]);
}

/* What is sent stays: the kernel fills its place before it is copied there. */
gputune_status gt_init_launch(gt_measure *measure, gt_workspace *workspace, uint64_t seed)
{
    CUdeviceptr buffers[GT_PARAMETER_MAX], scratch[GT_PARAMETER_MAX] = {0};
    const gt_launch *launch = &workspace->workload.init;
    for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
        const gt_slot *slot = &workspace->slots[i];
        buffers[i] = slot->pristine && !slot->live ? slot->pristine : slot->address;
    }
    scratch[launch->parameter_count - 1] = seed; /* by value */
    return start(measure, workspace, workspace->init, launch, buffers, scratch);
}

gputune_status gt_check_launch(gt_measure *measure, gt_workspace *workspace)
{
    GT_CALL(measure, MemsetD8Async, workspace->failures, 0, 16, measure->stream);
    return start(measure, workspace, workspace->check, &workspace->workload.check,
                 workspace->addresses, workspace->scratch[1]);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* The last scratch of a reference with scale is the scale; that of a check, its counter. */
static gputune_status take_scratch(gt_measure *measure, const gt_launch *launch,
                                   CUdeviceptr *scratch, CUdeviceptr last)
{
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind != GT_PARAMETER_SCRATCH) {
            continue;
        }
        if (last && i + 1 == launch->parameter_count) {
            scratch[i] = last;
        } else {
            GT_TRY(gt_memory_take(&scratch[i], measure, parameter->scratch_bytes));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status look_up(CUfunction *out, gt_measure *measure, const gt_image *image,
                              const gt_launch *launch)
{
    GT_TRY(gt_module_function(out, measure->reference, image, launch->steps[0].entry));
    if (launch->steps[0].shared_bytes > 48 * 1024) {
        GT_CALL(measure, FuncSetAttribute, *out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                (int)launch->steps[0].shared_bytes);
    }
    return GPUTUNE_OK;
}

/* A symbol that the reference's module lacks is not used there. */
static gputune_status find_constants(gt_measure *measure, gt_workspace *workspace,
                                     const gt_launch *launch)
{
    for (uint32_t i = 0; i < launch->block_count; ++i) {
        const gt_block *block = &launch->blocks[i];
        size_t bytes = 0;
        if (block->pass == GT_PASS_CONSTANT) {
            GT_TRY(gt_module_global(&workspace->constants[i], &bytes, measure->reference,
                                    block->symbol));
        }
        if (workspace->constants[i] && bytes < block->bytes) {
            return gt_fail(GPUTUNE_ETEMPLATE, "__constant__ %s has %zu bytes; constant() says %u",
                           block->symbol, bytes, block->bytes);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status load_workspace(gt_measure *measure, const gt_image *image,
                                     gt_workspace *workspace)
{
    const gt_workload *workload = &workspace->workload;
    const bool refers = workload->has_reference && !workload->refers_to_itself;
    GT_TRY(find_constants(measure, workspace,
                          refers                ? &workload->reference
                          : workload->has_check ? &workload->check
                                                : &workload->init));
    if (refers) {
        GT_TRY(look_up(&workspace->reference, measure, image, &workload->reference));
        GT_TRY(
            take_scratch(measure, &workload->reference, workspace->scratch[0], workspace->scale));
    }
    if (workload->has_init) {
        GT_TRY(look_up(&workspace->init, measure, image, &workload->init));
    }
    if (workload->has_check) {
        GT_TRY(look_up(&workspace->check, measure, image, &workload->check));
        GT_TRY(
            gt_memory_take(&workspace->failures, measure, 16)); /* the count, and zeros beside it */
        GT_TRY(take_scratch(measure, &workload->check, workspace->scratch[1], workspace->failures));
    }
    return GPUTUNE_OK;
}

/* The reference that is the template's own kernels, at each size. */
static gputune_status load_itself(gt_measure *measure, const gt_image *image)
{
    gt_launch *launches = malloc(GT_WORKLOAD_MAX * sizeof *launches);
    GT_TRY(gt_allocated(launches));
    for (int i = 0; i < GT_WORKLOAD_MAX; ++i) {
        launches[i] = measure->workspaces[i].workload.reference;
    }
    measure->itself_launches = launches;
    GT_TRY(gt_launcher_load(&measure->itself[0], measure->driver, &measure->device, image,
                            &launches[0]));
    return measure->setup.workload_count > 1
               ? gt_launcher_share(&measure->itself[1], measure->itself[0], &launches[1])
               : GPUTUNE_OK;
}

void gt_reference_free(gt_measure *measure)
{
    for (int i = GT_WORKLOAD_MAX - 1; i >= 0; --i) { /* the first has the code of all */
        gt_launcher_free(measure->itself[i]);
        measure->itself[i] = NULL;
    }
    free(measure->itself_launches);
    measure->itself_launches = NULL;
    gt_module_free(measure->reference);
    measure->reference = NULL;
}

gputune_status gt_reference_load(gt_measure *measure, const gt_image *image)
{
    const gt_workload *timed = &measure->workspaces[0].workload;
    gt_reference_free(measure);
    if (!timed->has_reference && !timed->has_check && !timed->has_init) {
        return GPUTUNE_OK;
    }
    if (!image->data) {
        return gt_fail(GPUTUNE_EINVAL, "the setup brings no image of the reference kernel %s",
                       timed->has_reference ? timed->reference.steps[0].entry
                                            : timed->init.steps[0].entry);
    }
    if (timed->refers_to_itself) {
        gputune_status status = load_itself(measure, image);
        if (status < 0) {
            return gt_fail_prefix(status, "reference(self)");
        }
    }
    if (timed->refers_to_itself && !timed->has_init) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_module_load(&measure->reference, measure->driver, image));
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        GT_TRY(load_workspace(measure, image, &measure->workspaces[i]));
    }
    return GPUTUNE_OK;
}
