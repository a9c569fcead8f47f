/* Other values of scalars, and other contents of buffers. */
#include "kernel/vary.h"

#include "kernel/tolerance.h"

#include <math.h>

/* ---- Scalars --------------------------------------------------------------------------------- */

/* No two scalars get the same factor, so that one that is taken for another shows. */
static double other_real(double value, gt_scalars which, uint32_t index)
{
    double factor = 0.375 + 0.125 * (index % 8);
    if (which == GT_SCALARS_ZERO) {
        return 0;
    }
    if (value == 0) {
        return which == GT_SCALARS_FAR ? -factor : factor;
    }
    return which == GT_SCALARS_FAR ? -factor * value : factor * value;
}

static bool is_flag(gt_type type, int64_t value)
{
    return !gt_type_is_float(type) && (value == 0 || value == 1);
}

static void vary_number(gt_number *number, gt_scalars which, uint32_t index)
{
    if (gt_type_is_float(number->type)) {
        number->low = other_real(number->low, which, index);
    } else if (is_flag(number->type, number->integer) && which == GT_SCALARS_FAR) {
        number->integer = !number->integer;
        number->low = (double)number->integer;
    }
}

static bool is_fixed(const gt_scalar *scalar)
{
    return scalar->is_stated && scalar->other_count == 0;
}

static void vary_scalar(gt_workload *workload, uint32_t index, const gt_variation *variation)
{
    gt_scalar *scalar = &workload->scalars[index];
    if (is_fixed(scalar) || variation->scalars == GT_SCALARS_OWN) {
        return;
    }
    for (uint32_t i = 0; i < scalar->number_count; i++) {
        gt_number *number = &workload->numbers[scalar->first_number + i];
        if (scalar->other_count) {
            uint32_t entry = variation->turn % scalar->other_count;
            number->integer = scalar->other_integers[entry];
            number->low = scalar->other_reals[entry];
        } else if (number->problem_value < 0) {
            vary_number(number, variation->scalars, index + i);
        }
    }
}

bool gt_workload_has_scalars(const gt_workload *workload)
{
    bool has = false;
    for (uint32_t i = 0; i < workload->scalar_count; i++) {
        const gt_scalar *scalar = &workload->scalars[i];
        for (uint32_t k = 0; k < scalar->number_count && !is_fixed(scalar); k++) {
            const gt_number *number = &workload->numbers[scalar->first_number + k];
            has |= scalar->other_count ||
                   (number->problem_value < 0 &&
                    (gt_type_is_float(number->type) || is_flag(number->type, number->integer)));
        }
    }
    return has;
}

uint32_t gt_workload_longest_list(const gt_workload *workload)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < workload->scalar_count; i++) {
        uint32_t count = workload->scalars[i].other_count;
        most = count > most ? count : most;
    }
    return most;
}

/* ---- Contents -------------------------------------------------------------------------------- */

/* A float's range has no end that its draws reach. */
static double largest(gt_type type, double low, double high)
{
    if (!gt_type_is_float(type)) {
        return high;
    }
    double below = type == GT_TYPE_F64   ? nextafter(high, low)
                   : type == GT_TYPE_F32 ? (double)nextafterf((float)high, (float)low)
                                         : high - (high - low) * gt_type_bytes(type) / 16;
    return below > low ? below : low;
}

double gt_workload_largest(const gt_buffer *buffer)
{
    return largest(buffer->type, buffer->low, buffer->high);
}

/* The constant of which all elements are. */
static double constant_of(gt_type type, double low, double high, bool is_free, gt_contents contents)
{
    if (contents == GT_CONTENTS_ZERO) {
        return fmin(fmax(0, low), high);
    }
    if (is_free) {
        return contents == GT_CONTENTS_HIGH ? 2.5 : -1.75;
    }
    return contents == GT_CONTENTS_HIGH ? largest(type, low, high) : low;
}

static void make_constant(gt_fill_kind *fill, double *low, double *high, double value)
{
    *fill = GT_FILL_CONSTANT;
    *low = *high = value;
}

static void vary_numbers(gt_workload *workload, const gt_buffer *buffer, gt_contents contents)
{
    for (uint32_t i = 0; i < buffer->number_count && contents >= GT_CONTENTS_ZERO; i++) {
        gt_number *number = &workload->numbers[buffer->first_number + i];
        if (number->fill == GT_FILL_UNIFORM) {
            make_constant(&number->fill, &number->low, &number->high,
                          constant_of(number->type, number->low, number->high, false, contents));
        }
    }
}

static void vary_buffer(gt_workload *workload, gt_buffer *buffer, gt_contents contents)
{
    if (buffer->direction == GT_OUT || buffer->fill != GT_FILL_UNIFORM) {
        return;
    }
    if (buffer->number_count) {
        vary_numbers(workload, buffer, contents);
    } else if (contents >= GT_CONTENTS_ZERO) {
        make_constant(&buffer->fill, &buffer->low, &buffer->high,
                      constant_of(buffer->type, buffer->low, buffer->high, buffer->free, contents));
    }
    bool plain =
        contents == GT_CONTENTS_PLAIN || contents >= GT_CONTENTS_ZERO || buffer->number_count;
    bool special = contents == GT_CONTENTS_SPECIALS && buffer->free && !buffer->finite;
    buffer->variety = plain     ? GT_VARIETY_PLAIN
                      : special ? GT_VARIETY_SPECIALS
                                : GT_VARIETY_EXTREMES;
}

bool gt_workload_has_contents(const gt_workload *workload)
{
    bool has = false;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        has |= workload->buffers[i].direction != GT_OUT &&
               workload->buffers[i].fill == GT_FILL_UNIFORM;
    }
    return has && !workload->has_init;
}

void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation)
{
    *out = *from;
    for (uint32_t i = 0; i < out->scalar_count; i++) {
        vary_scalar(out, i, variation);
    }
    out->varied = variation->contents != GT_CONTENTS_PLAIN && !out->has_init;
    if (out->varied && out->tolerance.stated) {
        out->tolerance.rtol *= GT_TOLERANCE_VARIED;
        out->tolerance.atol *= GT_TOLERANCE_VARIED;
        out->tolerance.stol *= GT_TOLERANCE_VARIED;
    }
    for (uint32_t i = 0; i < out->buffer_count && out->varied; i++) {
        out->buffers[i].nan_ok = true; /* where the reference has one, a variant has one */
        vary_buffer(out, &out->buffers[i], variation->contents);
    }
}
