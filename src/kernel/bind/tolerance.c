/* Computes the tolerance if a template does not state one. tolerance.h explains how. */
#include "kernel/bind/tolerance.h"

#include <math.h>

static const struct type_facts {
    double roundoff;
    double working; /* roundoff of the type in which sums are accumulated */
    double rtol;    /* relative error of functions, divisions and fused operations */
    double tiny;    /* results below this may be flushed to zero */
} facts[] = {
    [GT_TYPE_F16] = {0x1p-11, 0x1p-24, 2.5e-3, 0x1p-24},
    [GT_TYPE_BF16] = {0x1p-8, 0x1p-24, 2e-2, 0x1p-126},
    [GT_TYPE_F32] = {0x1p-24, 0x1p-24, 1e-5, 0x1p-126},
    [GT_TYPE_F64] = {0x1p-53, 0x1p-53, 1e-12, 0x1p-1022},
    /* the rtol of fp8 is larger than the relative distance between two neighbouring numbers */
    [GT_TYPE_E4M3] = {0x1p-4, 0x1p-24, 0.14, 0x1p-9},
    [GT_TYPE_E5M2] = {0x1p-3, 0x1p-24, 0.27, 0x1p-16},
};

double gt_type_roundoff(gt_type type)
{
    return gt_type_is_float(type) ? facts[type].roundoff : 0;
}

double gt_tolerance_step(const gt_workload *workload)
{
    double coarsest = 0;
    bool has_output = false;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        const gt_buffer *buffer = &workload->buffers[i];
        coarsest = fmax(coarsest, gt_type_roundoff(buffer->type));
        has_output |= buffer->direction != GT_IN && gt_type_is_float(buffer->type);
    }
    return has_output ? sqrt(coarsest) : 0;
}

/* Estimates the number m of terms of an element. `still` is the fraction of elements that a sparse
 * step did not change, which is expected to be (1 - 1/GT_TOLERANCE_SPARSE)^m. */
static double terms_counted(double still)
{
    static const double enough = 0.02;
    return still < enough ? INFINITY : log(still) / log1p(-1.0 / GT_TOLERANCE_SPARSE);
}

double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity)
{
    double inputs = 0;
    for (uint32_t i = 0; i < workload->block_count; i++) {
        inputs += (double)workload->blocks[i].elements;
    }
    double elements = (double)workload->buffers[output].elements;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        const gt_buffer *buffer = &workload->buffers[i];
        inputs += buffer->direction != GT_OUT ? (double)buffer->elements : 0;
    }
    double measured = fmin(terms_counted(sensitivity->still), inputs / sqrt(elements));
    return fmax(1, fmax(measured, workload->work_flops / elements));
}

static bool is_known(const gt_sensitivity *seen)
{
    return seen->step > 0 && seen->moved > 0;
}

/* Returns true if all elements have a similar relative sensitivity to the inputs. */
static bool is_even(const gt_sensitivity *seen)
{
    static const double uneven = 8;
    return is_known(seen) && seen->largest > 0 && isfinite(seen->relative) &&
           seen->relative <= uneven * seen->moved / seen->largest;
}

typedef struct measures {
    double share;        /* tolerance per unit of S */
    gt_tolerance result; /* tolerance if S is not used */
} measures;

static measures measure_output(const gt_workload *workload, uint32_t output,
                               const gt_sensitivity *seen)
{
    const gt_buffer *buffer = &workload->buffers[output];
    const struct type_facts *type = &facts[buffer->type];
    bool few = buffer->elements < GT_TOLERANCE_FEW;
    double terms = gt_tolerance_terms(workload, output, seen);
    double length = type->working * sqrt(terms);
    /* if all terms of a sum are equal, rounding errors do not cancel */
    double drift = workload->varied ? type->working * terms : length;
    /* Allow for one rounding to the storage type, a few other roundings, and a long sum. If there
     * are few elements, allow for twice the sum, because the measured S may be too small. */
    return (measures){.share = type->roundoff + 3 * type->working + (few ? 4 : 2) * length,
                      .result = {.rtol = fmax(type->rtol, drift / 4), .atol = type->tiny}};
}

static gt_tolerance measured_tolerance(const gt_workload *workload, uint32_t output,
                                       const gt_sensitivity *seen)
{
    bool few = workload->buffers[output].elements < GT_TOLERANCE_FEW;
    const measures m = measure_output(workload, output, seen);
    gt_tolerance result = m.result;
    if (!few && is_even(seen)) {
        result.rtol = fmax(result.rtol, m.share * seen->relative / seen->step);
        return result;
    }
    double strength = is_known(seen) ? seen->moved / seen->step : seen->largest;
    /* a result that jumps has a very large S, so limit the tolerance */
    double most = few ? INFINITY : seen->largest / 100;
    result.atol = fmax(result.atol, fmin(m.share * strength, most));
    return result;
}

/* Returns true if `scale` contains a value for each element of the output. */
static bool is_scaled(const gt_workload *workload, uint32_t output)
{
    uint32_t first = 0;
    while (workload->buffers[first].direction == GT_IN) {
        first++;
    }
    return workload->has_scale &&
           workload->buffers[output].elements <= workload->buffers[first].elements;
}

bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *seen)
{
    if (workload->tolerance.stated || workload->has_scale || !is_known(seen) ||
        workload->buffers[output].elements < GT_TOLERANCE_FEW) {
        return false;
    }
    const measures m = measure_output(workload, output, seen);
    *out = m.result;
    /* few steps may underestimate the change, so allow for twice the measured one */
    out->stol = 2 * m.share / seen->step;
    return true;
}

gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity)
{
    const struct type_facts *type = &facts[workload->buffers[output].type];
    if (workload->tolerance.stated || !gt_type_is_float(workload->buffers[output].type)) {
        return workload->tolerance;
    }
    /* if the terms of a sum have mean zero, its error is about u * scale / 3 */
    if (is_scaled(workload, output)) {
        double more = workload->varied ? GT_TOLERANCE_VARIED : 1;
        return (gt_tolerance){
            .rtol = type->rtol, .atol = type->tiny, .stol = more * 8 * type->working};
    }
    return measured_tolerance(workload, output, sensitivity);
}
