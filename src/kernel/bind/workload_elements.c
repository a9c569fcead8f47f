/* Determines the elements of buffers, blocks and scalars, and how they are filled. */
#include "kernel/bind/layout.h"
#include "kernel/bind/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t gt_buffer_count(const gt_buffer *buffer)
{
    return buffer->per_element > 1 ? buffer->elements / buffer->per_element : buffer->elements;
}

uint32_t gt_buffer_element_bytes(const gt_buffer *buffer)
{
    uint64_t count = gt_buffer_count(buffer);
    return count > 0 ? (uint32_t)(buffer->bytes / count) : gt_type_bytes(buffer->type);
}

uint32_t gt_buffer_alignment(const gt_buffer *buffer)
{
    return buffer->alignment ? buffer->alignment : gt_type_bytes(buffer->type);
}

uint64_t gt_buffer_reference_bytes(const gt_buffer *buffer)
{
    return buffer->reference_type == buffer->type
               ? buffer->bytes
               : buffer->elements * gt_type_bytes(buffer->reference_type);
}

const gt_number *gt_scalar_number(const gt_workload *workload, const gt_scalar *scalar)
{
    const gt_number *first = &workload->numbers[scalar->first_number];
    return scalar->number_count == 1 && strcmp(first->name, scalar->name) == 0 ? first : NULL;
}

const char *gt_component_name(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                              const gt_buffer *buffer, uint64_t index)
{
    static const char *const lanes[] = {"x", "y", "z", "w"};
    uint32_t per = buffer->per_element > 1 ? buffer->per_element : 1;
    const char *lane = buffer->number_count
                           ? workload->numbers[buffer->first_number + index % per].name
                       : per > 1 ? lanes[index % per % 4]
                                 : "";
    (void)snprintf(out, GT_COMPONENT_TEXT, "%.60s[%llu]%s%.60s", buffer->name,
                   (unsigned long long)(index / per), lane[0] ? "." : "", lane);
    return out;
}

const char *gt_number_title(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                            uint32_t number)
{
    const char *name = workload->numbers[number].name, *owner = name;
    for (uint32_t i = 0; i < workload->scalar_count; i++) {
        const gt_scalar *scalar = &workload->scalars[i];
        owner = number - scalar->first_number < scalar->number_count ? scalar->name : owner;
    }
    for (uint32_t i = 0; i < GT_PARAMETER_MAX + workload->block_count; i++) {
        const gt_buffer *buffer = gt_workload_input(workload, i);
        owner = number - buffer->first_number < buffer->number_count ? buffer->name : owner;
    }
    const bool is_part = name[0] && strcmp(owner, name) != 0;
    (void)snprintf(out, GT_COMPONENT_TEXT, is_part ? "%.60s.%.60s" : "%.60s", owner, name);
    return out;
}

gt_type gt_component_type(const gt_workload *workload, const gt_buffer *buffer, uint64_t index)
{
    return buffer->number_count
               ? workload->numbers[buffer->first_number + index % buffer->number_count].type
               : buffer->type;
}

static void set_range(gt_number *out, uint64_t count)
{
    bool integers = !gt_type_is_float(out->type), sorted = out->fill == GT_FILL_SORTED;
    out->low = out->high = 0;
    if (out->fill == GT_FILL_UNIFORM || (sorted && !integers)) {
        out->low = -1;
        out->high = 1;
    } else if (sorted) {
        out->high = (double)(count - 1);
    }
}

/* Returns true if a fill can store this value, apart from rounding. A bool stores the lowest bit of
 * any number. */
static bool fits_type(gt_type type, double value)
{
    return gt_type_is_float(type) || type == GT_TYPE_BOOL ? isfinite(value)
           : type == GT_TYPE_U64                          ? value >= 0 && value < 0x1p64
                                 : fabs(value) < 0x1p63 && gt_type_holds(type, (int64_t)value);
}

static gputune_status check_range(const gt_number *out, uint64_t count, gt_place place,
                                  const char *name)
{
    double most = out->fill == GT_FILL_PERMUTATION ? (double)(count - 1) : out->high;
    bool counted = out->fill == GT_FILL_PERMUTATION || out->fill == GT_FILL_PREFIX;
    GT_REFUSE(out->low > out->high, GPUTUNE_EINVAL,
              "%s is filled from %g to %g at these sizes; expected low <= high", name, out->low,
              out->high);
    GT_REFUSE_AT(out->fill == GT_FILL_PREFIX && out->low < 0, place,
                 "prefix(%g) at these sizes; expected 0 or more", out->low);
    GT_REFUSE_AT(counted && !fits_type(out->type, most), place,
                 "%s would have numbers up to %.0f at these sizes, which do not fit its type %s; "
                 "expected a wider type",
                 name, most, gt_type_name(out->type));
    return GPUTUNE_OK;
}

/* Evaluates the range of a fill. Fills that the host generates have no range. */
static gputune_status bind_fill(gt_number *out, const gt_fill *fill, const int64_t *slots,
                                uint64_t count, const char *name)
{
    out->fill = fill->kind;
    set_range(out, count);
    if (gt_fill_is_sent(fill->kind)) {
        return GPUTUNE_OK;
    }
    if (fill->low) {
        GT_TRY(gt_expression_real(&out->low, fill->low, slots, true));
        out->high = out->low;
    }
    if (fill->high) {
        GT_TRY(gt_expression_real(&out->high, fill->high, slots, true));
    }
    const bool ranges = fill->low || out->fill == GT_FILL_SORTED; /* an output may have no fill */
    const bool holds_any = out->fill == GT_FILL_CONSTANT && gt_type_is_float(out->type);
    GT_REFUSE_AT(ranges && out->fill != GT_FILL_PREFIX && !holds_any &&
                     !(fits_type(out->type, out->low) && fits_type(out->type, out->high)),
                 fill->place, "%s is filled from %g to %g; expected numbers that fit its type %s",
                 name, out->low, out->high, gt_type_name(out->type));
    return check_range(out, count, fill->place, name);
}

static const gt_initialiser *item_of(const gt_initialisers *list, const gt_layout *layout,
                                     uint32_t leaf)
{
    for (uint32_t i = list->count; i-- > 0;) {
        if (gt_leaf_is_within(layout, leaf, list->items[i].path)) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* Returns true if a leaf is an array element for which the initialiser list has no item, because
 * the list is shorter than the array. Such an element is 0, as in C. */
static bool is_behind_list(const gt_initialisers *list, const gt_layout *layout, uint32_t leaf)
{
    const size_t length = strlen(layout->leaves[leaf].name);
    bool found = false;
    for (uint32_t i = 0; i < list->count && !found; i++) {
        char outer[sizeof list->items[i].path];
        memcpy(outer, list->items[i].path, sizeof outer);
        char *last = strrchr(outer, '#');
        if (last && last > outer && !strpbrk(last, ".[")) {
            *last = '\0';
            found = gt_leaf_is_within(layout, leaf, outer);
        }
    }
    return found && layout->leaves[leaf].name[length - 1] == ']';
}

static gputune_status check_items(const gt_initialisers *list, const gt_layout *layout,
                                  const char *type, gt_place place)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const char *path = list->items[i].path, *number = strrchr(path, '#');
        bool used = false;
        for (uint32_t k = 0; k < layout->count && !used; k++) {
            used = gt_leaf_is_within(layout, k, path);
        }
        GT_REFUSE_AT(!used && (!number || strpbrk(number, ".[")), place,
                     "%s has no member '%s'; expected one of its members", type, path);
        GT_REFUSE_AT(!used, place,
                     "item %lu of %s has no member in %s; expected at most one for each member; a "
                     "member with several numbers takes them in { }, members of a base class have "
                     "no { } around them",
                     strtoul(number + 1, NULL, 10) + 1,
                     number > path ? "a list in the list" : "the list", type);
    }
    return GPUTUNE_OK;
}

static gputune_status new_numbers(gt_number **out, uint32_t *first, gt_workload *workload,
                                  const gt_binding *binding, const gt_leaf *leaves, uint32_t count)
{
    GT_REFUSE(workload->number_count + count > GT_NUMBER_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: the structs of all arguments have more than %d numbers; expected fewer",
              binding->template->path, GT_NUMBER_MAX);
    *first = workload->number_count;
    *out = &workload->numbers[*first];
    for (uint32_t i = 0; i < count; i++) {
        gt_number *number = &(*out)[i];
        memcpy(number->name, leaves[i].name, sizeof number->name);
        number->type = leaves[i].type;
        number->offset = leaves[i].offset;
        number->problem_value = -1;
    }
    workload->number_count += count;
    return GPUTUNE_OK;
}

static gputune_status fill_number(gt_number *number, const gt_layout *layout, uint32_t index,
                                  const gt_binding *binding, const gt_buffer *buffer,
                                  const gt_argument *declared)
{
    char name[GT_COMPONENT_TEXT];
    const gt_leaf *leaf = &layout->leaves[index];
    const gt_initialiser *item = item_of(&declared->initialisers, layout, index);
    (void)snprintf(name, sizeof name, "%.60s.%.60s", buffer->name, leaf->name);
    const bool lacks = !item && !declared->initialisers.single && !gt_type_is_float(number->type) &&
                       buffer->direction != GT_OUT;
    if (lacks && binding->template->parts->init.present) {
        number->fill = GT_FILL_ZERO; /* fill with zeros until init() runs */
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(lacks, declared->place,
                 "'%s' has integers but no fill; expected { …, .%s = uniform(low, high) }, index, "
                 "zero or constant(value)",
                 name, leaf->name);
    const gt_fill *fill = item ? &item->fill : &declared->fill;
    GT_REFUSE_AT(fill->kind > GT_FILL_CONSTANT, fill->place,
                 "'%s' cannot have this fill, because its elements have several numbers; expected "
                 "uniform(low, high), index, zero or constant(value)",
                 buffer->name);
    number->free = fill->kind == GT_FILL_UNIFORM && !fill->low;
    return bind_fill(number, fill, binding->slots, buffer->elements, name);
}

/* Returns the least precise float type, which determines the tolerance. If there is no float,
 * returns the first type. */
static gt_type coarsest(const gt_layout *layout)
{
    gt_type type = layout->leaves[0].type;
    for (uint32_t i = 1; i < layout->count; i++) {
        gt_type other = layout->leaves[i].type;
        type = gt_type_roundoff(other) > gt_type_roundoff(type) ? other : type;
    }
    return type;
}

static gputune_status bind_apart(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                 const gt_layout *layout, const gt_argument *declared)
{
    gt_number *numbers = NULL;
    GT_TRY(
        new_numbers(&numbers, &buffer->first_number, out, binding, layout->leaves, layout->count));
    buffer->number_count = layout->count;
    buffer->type = coarsest(layout);
    buffer->fill = GT_FILL_ZERO;
    for (uint32_t i = 0; i < layout->count; i++) {
        GT_TRY(fill_number(&numbers[i], layout, i, binding, buffer, declared));
        bool moves = numbers[i].fill == GT_FILL_UNIFORM && gt_type_is_float(numbers[i].type);
        buffer->fill = moves ? GT_FILL_UNIFORM : buffer->fill;
        buffer->free |= numbers[i].free;
    }
    return GPUTUNE_OK;
}

gputune_status gt_elements_bind(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                const gt_argument *declared)
{
    const char *name = declared->type;
    gt_number plain;
    GT_FREED gt_layout *layout = NULL;
    GT_TRY(gt_layout_make(&layout, binding, name));
    GT_TRY(check_items(&declared->initialisers, layout, name, declared->place));
    GT_REFUSE_AT(layout->count == 0, declared->place,
                 "elements of '%s' are %s, which has no data; expected a type with numbers",
                 buffer->name, name);
    for (uint32_t i = 0; i < layout->count; i++) {
        GT_REFUSE_AT(layout->leaves[i].is_pointer && !binding->template->parts->init.present,
                     declared->place,
                     "elements of '%s' have a pointer, '%s'; expected an init() kernel, which sets "
                     "it to the address of another buffer of args()",
                     buffer->name, layout->leaves[i].name);
    }
    buffer->type = layout->leaves[0].type;
    buffer->per_element = layout->count;
    buffer->alignment = layout->alignment;
    buffer->bytes = buffer->elements * layout->bytes;
    buffer->elements *= layout->count;
    bool one_by_one =
        declared->initialisers.count > 0 ||
        gt_structure_of(binding->template, gt_type_word(binding->template, binding->problem, name));
    if (one_by_one) {
        return bind_apart(out, buffer, binding, layout, declared);
    }
    plain.type = buffer->type;
    GT_TRY(bind_fill(&plain, &declared->fill, binding->slots, buffer->elements, buffer->name));
    buffer->fill = plain.fill;
    buffer->low = plain.low;
    buffer->high = plain.high;
    buffer->free = plain.fill == GT_FILL_UNIFORM && !declared->fill.low;
    return GPUTUNE_OK;
}

static void open_number(gt_number *number, const gt_buffer *buffer, bool is_shared)
{
    const bool is_drawn = number->free && gt_type_is_float(number->type);
    const bool is_constant = number->fill == GT_FILL_ZERO || number->fill == GT_FILL_CONSTANT;
    number->open = is_constant || (is_shared && is_drawn);
    number->integer = is_constant ? (int64_t)number->low : 0;
    number->is_filled = true;
    number->finite = buffer->finite;
}

gputune_status gt_elements_open(gt_workload *workload, gt_buffer *buffer, const gt_binding *binding,
                                bool is_block)
{
    enum { FEW = 8 };
    const bool is_shared = is_block || gt_buffer_count(buffer) <= FEW;
    gt_number *numbers = &workload->numbers[buffer->first_number];
    if (buffer->direction == GT_OUT || (binding->template->parts->init.present && !is_block)) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < buffer->number_count; i++) {
        open_number(&numbers[i], buffer, is_shared);
    }
    gt_number common = {.type = buffer->type,
                        .fill = buffer->fill,
                        .low = buffer->low,
                        .free = buffer->free,
                        .problem_value = -1};
    memcpy(common.name, buffer->name, sizeof common.name);
    open_number(&common, buffer, is_shared);
    if (buffer->number_count == 0 && common.open) {
        GT_TRY(new_numbers(&numbers, &buffer->common, workload, binding, &(gt_leaf){.type = 0}, 1));
        buffer->common++;
        *numbers = common;
    }
    return GPUTUNE_OK;
}

/* Sets a number to the value of an expression. If `value` is NULL or is the number's own name, sets
 * it to the problem value of that name. */
static gputune_status bind_number(gt_number *out, const gt_binding *binding,
                                  const gt_expression *value, const char *name)
{
    const int size = gt_template_problem_index(binding->template, out->name);
    if (!value || (size >= 0 && strcmp(value->text, out->name) == 0)) {
        out->problem_value = size;
        out->integer = binding->problem->values[out->problem_value].number;
        out->low = (double)out->integer;
        out->open = false;
    } else if (gt_type_is_float(out->type)) {
        GT_TRY(gt_expression_real(&out->low, value, binding->slots, true));
    } else if (value->is_real) {
        return gt_fail_at(value->place,
                          "'%s' is floating-point, but %s is not; expected an integer expression",
                          value->text, name);
    } else {
        GT_TRY(gt_expression_integer(&out->integer, value, binding->slots));
        out->low = (double)out->integer;
        out->open &= !gt_expression_uses_any(value, GT_SLOT_PROBLEM, GT_PROBLEM_MAX);
    }
    return gt_type_holds(out->type, out->integer)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "%s is %lld, which does not fit its type %s", name,
                         (long long)out->integer, gt_type_name(out->type));
}

static gputune_status check_pointers(const gt_binding *binding, const gt_argument *argument,
                                     const gt_layout *layout, gt_place place)
{
    const gt_template *template = binding->template;
    for (uint32_t i = 0; i < layout->count; i++) {
        const gt_leaf *leaf = &layout->leaves[i];
        char name[GT_COMPONENT_TEXT];
        if (!leaf->is_pointer) {
            continue;
        }
        const gt_structure_member *member =
            gt_structure_pointer(template, argument->type, leaf->name);
        const char *type = member && member->type[0] ? member->type : "void";
        (void)snprintf(name, sizeof name, "%.60s.%.60s", argument->name, leaf->name);
        GT_REFUSE_AT(item_of(&argument->initialisers, layout, i), place,
                     "%s is a pointer, but the list gives it a number; expected a list without it, "
                     "as in {.n = 2}",
                     name);
        GT_REFUSE_AT(GT_NAMED(template->arguments, template->argument_count, name) < 0, place,
                     "'%s' is a pointer and has no buffer; expected one at the end of args(), as "
                     "in 'in %s %s[n]', or '%s *%s = null'",
                     name, type, name, type, name);
    }
    return GPUTUNE_OK;
}

static gputune_status bind_numbers(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                                   const gt_argument *argument, gt_layout *layout)
{
    gt_number *numbers = NULL;
    const gt_template *template = binding->template;
    const gt_place place = argument->place;
    GT_TRY(check_items(&argument->initialisers, layout, argument->type, place));
    GT_TRY(check_pointers(binding, argument, layout, place));
    uint32_t count = 0;
    /* skip pointers, because the launch sets them */
    for (uint32_t i = 0; i < layout->count; i++) {
        layout->leaves[count] = layout->leaves[i];
        count += !layout->leaves[i].is_pointer;
    }
    layout->count = count;
    GT_TRY(new_numbers(&numbers, &out->first_number, workload, binding, layout->leaves,
                       layout->count));
    out->number_count = layout->count;
    for (uint32_t i = 0; i < layout->count; i++) {
        char name[GT_COMPONENT_TEXT];
        const gt_initialiser *item = item_of(&argument->initialisers, layout, i);
        const gt_expression *value = item ? item->value : argument->value;
        const bool is_part = numbers[i].name[0];
        numbers[i].fill = GT_FILL_CONSTANT;
        numbers[i].open = true;
        (void)snprintf(name, sizeof name, is_part ? "%.60s.%.60s" : "%.60s", argument->name,
                       numbers[i].name);
        if (!is_part) {
            memcpy(numbers[i].name, argument->name, sizeof numbers[i].name);
        }
        const bool is_size = gt_template_problem_index(template, numbers[i].name) >= 0 &&
                             !gt_problem_type(template, numbers[i].name);
        value = value || is_size ? value : layout->leaves[i].value;
        if (!value && !is_size && is_behind_list(&argument->initialisers, layout, i)) {
            continue;
        }
        GT_REFUSE_AT(!value && !is_size, place,
                     "%s without a value; expected { .%s = value }, or the name of a problem value",
                     name, numbers[i].name);
        GT_TRY(bind_number(&numbers[i], binding, value, name));
    }
    return GPUTUNE_OK;
}

static gputune_status bind_proved(gt_workload *workload, gt_number *number,
                                  const gt_binding *binding, const gt_proved *proved)
{
    number->open = false;
    number->first_other = workload->other_count;
    GT_REFUSE_AT(workload->other_count + proved->other_count > GT_OTHERS_MAX, proved->place,
                 "more than %d values in all prove() clauses; expected fewer", GT_OTHERS_MAX);
    for (uint32_t i = 0; i < proved->other_count; i++) {
        gt_number one = {.type = number->type, .problem_value = -1};
        GT_TRY(bind_number(&one, binding, proved->others[i], number->name));
        workload->others[workload->other_count++] = (struct gt_other){one.integer, one.low};
    }
    number->other_count = proved->other_count;
    return GPUTUNE_OK;
}

static gputune_status prove_numbers(gt_workload *workload, const gt_scalar *scalar,
                                    const gt_binding *binding, const gt_layout *layout,
                                    const gt_proved *proved)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < scalar->number_count; i++) {
        if (!proved->path[0] || gt_leaf_is_within(layout, i, proved->path)) {
            GT_TRY(bind_proved(workload, &workload->numbers[scalar->first_number + i], binding,
                               proved));
            named++;
        }
    }
    GT_REFUSE_AT(proved->path[0] && named == 0, proved->place,
                 "'%s' has no member '%s'; expected one that is a number", scalar->name,
                 proved->path);
    return GPUTUNE_OK;
}

gputune_status gt_scalar_bind(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                              const gt_argument *argument)
{
    GT_FREED gt_layout *layout = NULL;
    GT_TRY(gt_layout_make(&layout, binding, argument->type));
    memcpy(out->name, argument->name, sizeof out->name);
    out->bytes = layout->bytes;
    if (layout->count == 0) { /* an empty functor has a size of one byte, but no contents */
        return GPUTUNE_OK;
    }
    GT_TRY(bind_numbers(workload, out, binding, argument, layout));
    for (uint32_t i = 0; i < out->number_count; i++) {
        workload->numbers[out->first_number + i].keeps = argument->keeps;
    }
    for (uint32_t i = 0; i < argument->proved_count; i++) {
        GT_TRY(prove_numbers(workload, out, binding, layout, &argument->proved[i]));
    }
    return GPUTUNE_OK;
}
