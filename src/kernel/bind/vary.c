/* Makes workloads with different scalars and different contents of buffers. */
#include "kernel/bind/vary.h"

#include "kernel/bind/tolerance.h"

#include <math.h>

/* Returns a different value for a floating-point scalar. Different scalars are multiplied by
 * different factors, so results change if a kernel swaps two scalars. */
static double other_real(const gt_number *number, gt_scalars which, uint32_t index)
{
    const double factor = 0.375 + 0.125 * (index % 8), value = number->low;
    const double near = value == 0 ? factor : factor * value;
    const double huge = number->type == GT_TYPE_F16        ? 3e4
                        : gt_type_bytes(number->type) == 1 ? 200
                                                           : 1e30;
    switch (which) {
    case GT_SCALARS_FAR:
        return -near;
    case GT_SCALARS_ZERO:
        return 0;
    case GT_SCALARS_ONE:
        return 1;
    case GT_SCALARS_NAN:
        return NAN;
    case GT_SCALARS_INFINITE:
        return copysign(INFINITY, value);
    case GT_SCALARS_HUGE:
        return copysign(factor * huge, value);
    default:
        return near;
    }
}

bool gt_number_is_flag(const gt_workload *workload, uint32_t number)
{
    const gt_number *its = &workload->numbers[number];
    return its->open && !its->keeps && !gt_type_is_float(its->type) &&
           (its->integer == 0 || its->integer == 1);
}

static bool can_have(const gt_workload *workload, uint32_t number, gt_scalars which)
{
    const gt_number *its = &workload->numbers[number];
    if (which == GT_SCALARS_OWN || its->other_count) {
        return which != GT_SCALARS_OWN && which <= GT_SCALARS_ZERO;
    }
    const bool is_drawn = its->fill == GT_FILL_UNIFORM;
    const bool is_float =
        its->open && gt_type_is_float(its->type) && (!is_drawn || which >= GT_SCALARS_ZERO) &&
        (!its->finite || (which != GT_SCALARS_NAN && which != GT_SCALARS_INFINITE));
    return is_float || (which == GT_SCALARS_FAR && gt_number_is_flag(workload, number));
}

gt_variation gt_variation_make(const gt_workload *workload, gt_scalars scalars,
                               gt_contents contents, uint32_t turn)
{
    gt_variation out = {.contents = contents, .turn = turn};
    for (uint32_t i = 0; i < workload->number_count; i++) {
        out.scalars[i] = can_have(workload, i, scalars) ? scalars : GT_SCALARS_OWN;
    }
    return out;
}

static void vary_number(gt_workload *workload, uint32_t index, const gt_variation *variation)
{
    gt_number *number = &workload->numbers[index];
    if (number->other_count) {
        const struct gt_other *others = &workload->others[number->first_other];
        number->integer = others[variation->turn % number->other_count].integer;
        number->low = others[variation->turn % number->other_count].real;
    } else if (gt_type_is_float(number->type)) {
        number->low = other_real(number, variation->scalars[index], index);
    } else {
        number->integer = !number->integer;
        number->low = (double)number->integer;
    }
    number->fill = GT_FILL_CONSTANT;
    number->high = number->low;
}

uint32_t gt_workload_longest_list(const gt_workload *workload)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < workload->number_count; i++) {
        uint32_t count = workload->numbers[i].other_count;
        most = count > most ? count : most;
    }
    return most;
}

double gt_workload_largest(gt_type type, double low, double high)
{
    if (!gt_type_is_float(type)) {
        return high;
    }
    double below = type == GT_TYPE_F64   ? nextafter(high, low)
                   : type == GT_TYPE_F32 ? (double)nextafterf((float)high, (float)low)
                                         : high - (high - low) * gt_type_bytes(type) / 16;
    return below > low ? below : low;
}

static double constant_of(gt_type type, double low, double high, bool is_free, gt_contents contents)
{
    if (contents == GT_CONTENTS_ZERO) {
        return fmin(fmax(0, low), high);
    }
    if (is_free) {
        return contents == GT_CONTENTS_HIGH ? 2.5 : -1.75;
    }
    return contents == GT_CONTENTS_HIGH ? gt_workload_largest(type, low, high) : low;
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
            make_constant(
                &number->fill, &number->low, &number->high,
                constant_of(number->type, number->low, number->high, number->free, contents));
        }
    }
}

static bool is_drawn(const gt_workload *workload, const gt_buffer *buffer)
{
    bool is = buffer->fill == GT_FILL_UNIFORM;
    for (uint32_t i = 0; i < buffer->number_count; i++) {
        is |= workload->numbers[buffer->first_number + i].fill == GT_FILL_UNIFORM;
    }
    return is && buffer->direction != GT_OUT;
}

static bool has_variety(const gt_workload *workload, const gt_buffer *buffer, gt_contents contents)
{
    if (contents == GT_CONTENTS_TIES) {
        return is_drawn(workload, buffer) ||
               (buffer->direction != GT_OUT && buffer->fill == GT_FILL_SORTED);
    }
    bool rises = buffer->fill == GT_FILL_PREFIX || gt_fill_is_sent(buffer->fill);
    return contents == GT_CONTENTS_ROWS && buffer->direction == GT_IN && !buffer->number_count &&
           rises && !gt_type_is_float(buffer->type) && gt_type_bytes(buffer->type) >= 4;
}

static uint32_t partner_of(const gt_workload *workload, uint32_t index)
{
    const gt_buffer *one = &workload->buffers[index];
    uint32_t other = 0;
    for (; other < index; other++) {
        const gt_buffer *its = &workload->buffers[other];
        bool drawn = its->fill == GT_FILL_UNIFORM && one->fill == GT_FILL_UNIFORM;
        if (its->direction == GT_IN && one->direction == GT_IN && drawn && !its->number_count &&
            !one->number_count && its->type == one->type && its->elements == one->elements &&
            its->bytes == one->bytes) {
            break;
        }
    }
    return other;
}

static void make_equal_pairs(gt_workload *workload, uint32_t index)
{
    const uint32_t other = partner_of(workload, index);
    gt_buffer *buffer = &workload->buffers[index];
    const gt_buffer *its = &workload->buffers[other];
    if (other != index) {
        buffer->copy_of = other + 1;
        buffer->low = its->low;
        buffer->high = its->high;
        buffer->free = its->free;
    }
}

/* Fills a buffer or block with its common number (gt_buffer.common) if this number is varied. */
static void vary_common(const gt_workload *workload, gt_buffer *buffer,
                        const gt_variation *variation)
{
    if (buffer->common && variation->scalars[buffer->common - 1] != GT_SCALARS_OWN) {
        make_constant(&buffer->fill, &buffer->low, &buffer->high,
                      workload->numbers[buffer->common - 1].low);
    }
}

static void vary_buffer(gt_workload *workload, gt_buffer *buffer, gt_contents contents)
{
    if (contents >= GT_CONTENTS_TIES) {
        buffer->variety = !has_variety(workload, buffer, contents) ? GT_VARIETY_PLAIN
                          : contents == GT_CONTENTS_TIES           ? GT_VARIETY_TIES
                                                                   : GT_VARIETY_ROWS;
        return;
    }
    if (!is_drawn(workload, buffer)) {
        return;
    }
    if (buffer->number_count) {
        vary_numbers(workload, buffer, contents);
    } else if (contents >= GT_CONTENTS_ZERO) {
        make_constant(&buffer->fill, &buffer->low, &buffer->high,
                      constant_of(buffer->type, buffer->low, buffer->high, buffer->free, contents));
    }
    bool plain = contents == GT_CONTENTS_PLAIN || contents >= GT_CONTENTS_ZERO;
    bool special = contents == GT_CONTENTS_SPECIALS && buffer->free && !buffer->finite;
    buffer->variety = plain     ? GT_VARIETY_PLAIN
                      : special ? GT_VARIETY_SPECIALS
                                : GT_VARIETY_EXTREMES;
}

bool gt_workload_has_contents(const gt_workload *workload, gt_contents contents)
{
    bool has = contents == GT_CONTENTS_PLAIN;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        const gt_buffer *buffer = &workload->buffers[i];
        has |= contents == GT_CONTENTS_PAIRS  ? partner_of(workload, i) != i
               : contents >= GT_CONTENTS_TIES ? has_variety(workload, buffer, contents)
                                              : is_drawn(workload, buffer);
    }
    return has && !workload->has_init;
}

static bool is_unbounded(const gt_workload *from, const gt_variation *variation)
{
    bool is = false;
    for (uint32_t i = 0; i < from->number_count; i++) {
        is |= variation->scalars[i] >= GT_SCALARS_NAN;
    }
    return is;
}

static void widen_huge(gt_workload *out, const gt_workload *from, const gt_variation *variation)
{
    double growth = 1;
    for (uint32_t i = 0; i < out->number_count; i++) {
        double own = fabs(from->numbers[i].low);
        if (variation->scalars[i] == GT_SCALARS_HUGE) {
            growth = fmax(growth, fabs(out->numbers[i].low) / (own > 0 ? own : 1));
        }
    }
    out->tolerance.atol *= growth;
}

void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation)
{
    *out = *from;
    for (uint32_t i = 0; i < out->number_count; i++) {
        if (variation->scalars[i] != GT_SCALARS_OWN) {
            vary_number(out, i, variation);
        }
    }
    out->unbounded = is_unbounded(from, variation);
    out->varied = variation->contents != GT_CONTENTS_PLAIN && !out->has_init;
    if (out->tolerance.stated) {
        const double factor = out->varied || out->unbounded ? GT_TOLERANCE_VARIED : 1;
        out->tolerance.rtol *= factor;
        out->tolerance.atol *= factor;
        out->tolerance.stol *= factor;
        widen_huge(out, from, variation);
    }
    for (uint32_t i = 0; i < out->block_count; i++) {
        vary_common(out, &out->blocks[i], variation);
    }
    for (uint32_t i = 0; i < out->buffer_count; i++) {
        vary_common(out, &out->buffers[i], variation);
        out->buffers[i].nan_ok |= out->varied || out->unbounded;
        if (out->varied) {
            vary_buffer(out, &out->buffers[i], variation->contents);
        }
        if (out->varied && variation->contents == GT_CONTENTS_PAIRS) {
            make_equal_pairs(out, i);
        }
    }
}
