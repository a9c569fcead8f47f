/* Takes one sample of each variant, by the objective that was prepared. */
#include "farm/measure_parts.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLER(objective, sampler) [GPUTUNE_OBJECTIVE_##objective] = (sampler),
static gt_sampler *const samplers[GPUTUNE_OBJECTIVE_COUNT] = {GT_SAMPLERS(SAMPLER)};

const void *const *gt_sample_arguments(const gt_measure *measure, uint32_t index)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    bool hot = measure->setup.cache == GPUTUNE_CACHE_HOT;
    return &workspace->arguments[(size_t)((hot ? measure->turn : index) % workspace->sets) *
                                 workspace->argument_count];
}

gputune_status gt_sample_issue(gt_measure *measure, gt_loaded *variant, uint32_t index)
{
    measure->ahead = NULL;
    gputune_status status = gt_launcher_launch(variant->launchers[0], measure->stream,
                                               gt_sample_arguments(measure, index));
    measure->lost |= status == GPUTUNE_ECRASHED;
    return status;
}

gputune_status gt_sample_ready(gt_measure *measure, gt_loaded *variant)
{
    GT_TRY(gt_service_reset(measure, &measure->restore, false));
    GT_TRY(gt_launcher_prepare(variant->launchers[0]));
    if (measure->setup.cache == GPUTUNE_CACHE_HOT) {
        GT_TRY(gt_sample_issue(measure, variant, 0));
        GT_TRY(measure->alone ? gt_service_reset(measure, &measure->restore, false) : GPUTUNE_OK);
    }
    return gt_service_sweep(measure);
}

/* ECRASHED where a failure has made this process unable to use the GPU. */
static gputune_status told_apart(gt_measure *measure, gputune_status status)
{
    measure->lost |= status == GPUTUNE_ECRASHED;
    if (status < 0 && !measure->lost) {
        measure->lost = gt_cuda_fatal(measure->driver->StreamSynchronize(measure->stream));
        status = measure->lost ? GPUTUNE_ECRASHED : status;
    }
    return status;
}

/* One sample; NaN where this variant alone could not be sampled. */
static gputune_status sample_one(double *out, gt_measure *measure, uint64_t id,
                                 const gt_sampling *sampling)
{
    gt_loaded *variant = gt_loaded_find(measure, id);
    double value = NAN;
    *out = NAN;
    if (!variant) {
        return gt_fail(GPUTUNE_EINVAL, "variant %llu is not loaded", (unsigned long long)id);
    }
    gt_sampler *take =
        measure->device.emulated ? gt_sample_modelled : samplers[sampling->objective];
    gputune_status status = told_apart(measure, take(&value, measure, variant, sampling));
    *out = status < 0 ? NAN : value;
    return status;
}

/* Finds out whether launches may share inout buffers, unless the job says it. */
static gputune_status settle_sharing(gt_sampled *out, gt_measure *measure, const gt_sample_job *job,
                                     gputune_objective objective, gt_page *page)
{
    gt_loaded *judge = gt_loaded_find(measure, job->judge);
    out->sharing = job->sharing;
    out->used_ratio = 1;
    if (out->sharing == GT_SHARING_UNKNOWN && judge) {
        gt_page_at(page, job->judge);
        GT_TRY(told_apart(
            measure, gt_used_judge(&out->sharing, &out->used_ratio, measure, judge, objective)));
    }
    measure->alone = out->sharing == GT_SHARING_FELT;
    return GPUTUNE_OK;
}

static gputune_status sample_all(gt_measure *measure, const gt_sample_job *job, gt_sampled *out,
                                 gt_page *page)
{
    gt_sampling sampling = {job->objective, job->length};
    if (sampling.objective == GPUTUNE_OBJECTIVE_DEFAULT) {
        sampling.objective = measure->setup.objective;
    }
    GT_TRY(settle_sharing(out, measure, job, sampling.objective, page));
    uint32_t failed = 0;
    gputune_status status = GPUTUNE_OK;
    for (uint32_t i = 0; i < job->count; ++i) {
        gt_page_at(page, job->variants[i]);
        gputune_status one = sample_one(&out->values[i], measure, job->variants[i], &sampling);
        if (one == GPUTUNE_ECRASHED || one == GPUTUNE_EUNSUPPORTED) {
            return one;
        }
        failed += one < 0;
        status = one < 0 ? one : status;
    }
    if (failed == job->count && failed > 0) {
        return status;
    }
    GT_PAGE_WRITE(page->current, GT_NO_VARIANT);
    return GPUTUNE_OK;
}

gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out,
                                 gt_page *page)
{
    if (measure->lost) {
        return gt_fail(GPUTUNE_ECRASHED, "this process lost the GPU to an earlier failure");
    }
    bool known = (size_t)job->objective < GPUTUNE_OBJECTIVE_COUNT && samplers[job->objective];
    if (!measure->ready || !known) {
        return gt_fail(GPUTUNE_EINVAL, "nothing was prepared, or no such objective");
    }
    GT_TRY(gt_contents_refresh(measure));
    gt_sampled sampled = {.count = job->count};
    sampled.values = calloc(job->count + 1, sizeof *sampled.values);
    GT_TRY(gt_allocated(sampled.values));
    measure->turn++;
    gt_monitor_begin(measure->monitor);
    gputune_status status = sample_all(measure, job, &sampled, page);
    if (status < 0) {
        free(sampled.values);
        return status;
    }
    *out = sampled;
    gt_monitor_end(measure->monitor, out);
    return GPUTUNE_OK;
}
