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
    const double values[] = {[GT_SCALARS_NEAR] = near,
                             [GT_SCALARS_FAR] = -near,
                             [GT_SCALARS_ZERO] = 0,
                             [GT_SCALARS_ONE] = 1,
                             [GT_SCALARS_NAN] = NAN,
                             [GT_SCALARS_INFINITE] = copysign(INFINITY, value),
                             [GT_SCALARS_HUGE] = copysign(factor * huge, value)};
    return values[which];
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

/* Makes a fill constant: the highest value, the lowest one, or the one closest to 0. */
static void make_constant(gt_fill_kind *fill, double *low, double *high, gt_type type, bool free,
                          gt_contents contents)
{
    double value = contents == GT_CONTENTS_HIGH  ? gt_workload_largest(type, *low, *high)
                   : contents == GT_CONTENTS_LOW ? *low
                                                 : fmin(fmax(0, *low), *high);
    if (free && contents != GT_CONTENTS_ZERO) {
        value = contents == GT_CONTENTS_HIGH ? 2.5 : -1.75;
    }
    *fill = GT_FILL_CONSTANT;
    *low = *high = value;
}

/* Makes an input or block constant. Neighbouring sorted inputs get the highest and the lowest
 * value, so all elements of one are below all elements of the other. */
static void make_constants(gt_workload *workload, gt_buffer *buffer, gt_contents contents)
{
    if (buffer->fill == GT_FILL_SORTED && contents != GT_CONTENTS_ZERO &&
        (buffer - workload->buffers) % 2 != 0) {
        contents = contents == GT_CONTENTS_HIGH ? GT_CONTENTS_LOW : GT_CONTENTS_HIGH;
    }
    for (uint32_t i = 0; i < buffer->number_count; i++) {
        gt_number *number = &workload->numbers[buffer->first_number + i];
        if (number->fill == GT_FILL_UNIFORM) {
            make_constant(&number->fill, &number->low, &number->high, number->type, number->free,
                          contents);
        }
    }
    if (!buffer->number_count) {
        make_constant(&buffer->fill, &buffer->low, &buffer->high, buffer->type, buffer->free,
                      contents);
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

static uint32_t partner_of(const gt_workload *workload, uint32_t index)
{
    const gt_buffer *one = &workload->buffers[index];
    uint32_t other = 0;
    for (; other < index; other++) {
        const gt_buffer *its = &workload->buffers[other];
        bool drawn = its->fill == GT_FILL_UNIFORM && one->fill == GT_FILL_UNIFORM;
        if (its->direction == GT_IN && one->direction == GT_IN && drawn && !its->number_count &&
            !one->number_count && its->type == one->type && its->elements == one->elements &&
            its->bytes == one->bytes && its->low >= one->low && its->high <= one->high) {
            break;
        }
    }
    return other;
}

static void make_equal_pair(gt_workload *workload, uint32_t index)
{
    const uint32_t other = partner_of(workload, index);
    const gt_buffer *its = &workload->buffers[other];
    gt_buffer *buffer = &workload->buffers[index];
    buffer->copy_of = other + 1;
    buffer->low = its->low;
    buffer->high = its->high;
    buffer->free = its->free;
}

/* Fills a buffer or block with its common number (gt_buffer.common) if this number is varied. */
static void vary_common(const gt_workload *workload, gt_buffer *buffer,
                        const gt_variation *variation)
{
    if (buffer->common && variation->scalars[buffer->common - 1] != GT_SCALARS_OWN) {
        buffer->fill = GT_FILL_CONSTANT;
        buffer->low = buffer->high = workload->numbers[buffer->common - 1].low;
    }
}

static bool makes_constants(gt_contents contents)
{
    return contents >= GT_CONTENTS_ZERO && contents <= GT_CONTENTS_LOW;
}

/* Returns true if `contents` affects the buffer. */
static bool has_contents(const gt_workload *workload, uint32_t index, gt_contents contents)
{
    const gt_buffer *buffer = &workload->buffers[index];
    const bool drawn = is_drawn(workload, buffer), integers = !gt_type_is_float(buffer->type);
    switch (contents) {
    case GT_CONTENTS_EXTREMES:
    case GT_CONTENTS_SPECIALS:
        return drawn;
    case GT_CONTENTS_RISING:
        return drawn && !buffer->number_count;
    case GT_CONTENTS_ROWS:
        return (buffer->fill == GT_FILL_PREFIX || gt_fill_is_sent(buffer->fill)) && integers &&
               buffer->direction == GT_IN && !buffer->number_count &&
               gt_type_bytes(buffer->type) >= 4;
    case GT_CONTENTS_PAIRS:
        return partner_of(workload, index) != index;
    default:
        return drawn || (buffer->fill == GT_FILL_SORTED && buffer->direction != GT_OUT);
    }
}

static void vary_buffer(gt_workload *workload, uint32_t index, gt_contents contents)
{
    static const uint32_t varieties[GT_CONTENTS_COUNT] = {
        [GT_CONTENTS_EXTREMES] = GT_VARIETY_EXTREMES, [GT_CONTENTS_SPECIALS] = GT_VARIETY_SPECIALS,
        [GT_CONTENTS_ZERO] = GT_VARIETY_REFILLED,     [GT_CONTENTS_HIGH] = GT_VARIETY_REFILLED,
        [GT_CONTENTS_LOW] = GT_VARIETY_REFILLED,      [GT_CONTENTS_RISING] = GT_VARIETY_REFILLED,
        [GT_CONTENTS_TIES] = GT_VARIETY_TIES,         [GT_CONTENTS_ROWS] = GT_VARIETY_ROWS};
    gt_buffer *buffer = &workload->buffers[index];
    buffer->least = buffer->low;
    buffer->most = buffer->high;
    const bool is_affected = has_contents(workload, index, contents);
    const bool is_special = buffer->free && !buffer->finite;
    buffer->variety = is_affected ? varieties[contents] : GT_VARIETY_PLAIN;
    if (buffer->variety == GT_VARIETY_SPECIALS && !is_special) {
        buffer->variety = GT_VARIETY_EXTREMES;
    } else if (buffer->variety == GT_VARIETY_REFILLED && buffer->fill != GT_FILL_UNIFORM) {
        buffer->variety = GT_VARIETY_PLAIN;
    }
    if (is_affected && contents == GT_CONTENTS_RISING) {
        buffer->fill = GT_FILL_SORTED;
    } else if (is_affected && contents == GT_CONTENTS_PAIRS) {
        make_equal_pair(workload, index);
    } else if (is_affected && makes_constants(contents)) {
        make_constants(workload, buffer, contents);
    }
}

bool gt_workload_has_contents(const gt_workload *workload, gt_contents contents)
{
    bool has = contents == GT_CONTENTS_PLAIN;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        has |= has_contents(workload, i, contents);
    }
    return has && !workload->has_init;
}

bool gt_workload_has_specials(const gt_workload *workload)
{
    bool has = false;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        has |= workload->buffers[i].variety == GT_VARIETY_SPECIALS;
    }
    return has;
}

/* Records which scalars may make results overflow. Returns the factor by which they have grown. */
static double note_unbounded(gt_workload *out, const gt_workload *from,
                             const gt_variation *variation)
{
    double growth = 1;
    for (uint32_t i = 0; i < out->number_count; i++) {
        double own = fabs(from->numbers[i].low);
        out->unbounded |= variation->scalars[i] >= GT_SCALARS_NAN;
        if (variation->scalars[i] == GT_SCALARS_HUGE) {
            out->huge = true;
            growth = fmax(growth, fabs(out->numbers[i].low) / (own > 0 ? own : 1));
        }
    }
    return growth;
}

void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation)
{
    *out = *from;
    for (uint32_t i = 0; i < out->number_count; i++) {
        if (variation->scalars[i] != GT_SCALARS_OWN) {
            vary_number(out, i, variation);
        }
    }
    const double growth = note_unbounded(out, from, variation);
    out->varied = variation->contents != GT_CONTENTS_PLAIN && !out->has_init;
    if (out->tolerance.stated) {
        const double factor = out->varied || out->unbounded ? GT_TOLERANCE_VARIED : 1;
        out->tolerance.rtol *= factor;
        out->tolerance.atol *= factor * growth;
        out->tolerance.stol *= factor;
    }
    for (uint32_t i = 0; i < out->block_count; i++) {
        vary_common(out, &out->blocks[i], variation);
        if (out->varied && makes_constants(variation->contents) && is_drawn(out, &out->blocks[i])) {
            make_constants(out, &out->blocks[i], variation->contents);
        }
    }
    for (uint32_t i = 0; i < out->buffer_count; i++) {
        vary_common(out, &out->buffers[i], variation);
        out->buffers[i].nan_ok |= out->varied || out->unbounded;
        if (out->varied) {
            vary_buffer(out, i, variation->contents);
        }
    }
}
