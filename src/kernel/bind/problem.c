/* Parses problem values, and chooses smaller problems on which variants are verified quickly. */
#include "kernel/bind/binding.h"
#include "kernel/template/structure.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static gputune_status refuse_value(const gt_problem_value *value, const char *given)
{
    GT_SCOPED(gt_text_free) gt_text list = {0};
    gt_values_append(&list, value->values, value->count);
    return gt_fail(GPUTUNE_EINVAL, "%s is not %s; expected %s%s", value->name, given,
                   value->count > 1 ? "one of " : "", gt_text_string(&list));
}

static gputune_status set_number(gt_value *out, const gt_problem_value *value, int64_t number)
{
    const gt_value given = {number, NULL};
    const char *text = GT_TEXT_OF_VALUE(&given);
    GT_REFUSE(value->kind == GT_PROBLEM_TYPE, GPUTUNE_EINVAL,
              "%s is a type, but %s is given; expected a type's name, as in \"%s=%s\"", value->name,
              text, value->name, value->fallback.word);
    GT_REFUSE(value->kind == GT_PROBLEM_SIZE && (number < 0 || number > GT_SIZE_MAX),
              GPUTUNE_EINVAL, "size %s is %s; expected 0 to 2^40", value->name, text);
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->values[i].number == number) {
            *out = value->values[i];
            return GPUTUNE_OK;
        }
    }
    if (value->count > 0) {
        return refuse_value(value, text);
    }
    *out = given;
    return GPUTUNE_OK;
}

static bool find_element(gt_element *out, const char *name)
{
    return gt_element_from_name(out, strcmp(name, "bfloat16") == 0 ? "__nv_bfloat16" : name);
}

/* Returns true if two names mean the same type, such as half and __half. */
static bool is_same_type(const char *left, const char *right)
{
    gt_element a, b;
    return find_element(&a, left) && find_element(&b, right) && a.type == b.type &&
           a.lanes == b.lanes && a.alignment == b.alignment;
}

static gputune_status set_word(gt_value *out, const gt_problem_value *value, const char *word)
{
    int64_t number;
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->values[i].word && strcmp(value->values[i].word, word) == 0) {
            *out = value->values[i];
            return GPUTUNE_OK;
        }
    }
    for (uint32_t i = 0; i < value->count && value->kind == GT_PROBLEM_TYPE; i++) {
        if (is_same_type(value->values[i].word, word)) {
            *out = value->values[i];
            return GPUTUNE_OK;
        }
    }
    if (value->kind == GT_PROBLEM_TYPE) {
        return refuse_value(value, word);
    }
    GT_TRY(gt_parse_int(&number, word));
    return set_number(out, value, number);
}

static gputune_status bind_one(gt_problem *problem, bool given[GT_PROBLEM_MAX],
                               const gt_template *template, const gputune_size *size)
{
    char name[GT_NAME_MAX];
    uint32_t index = 0;
    GT_REFUSE(!size->name, GPUTUNE_EINVAL, "a size without a name; expected {\"n\", value}");
    const char *equals = strchr(size->name, '=');
    size_t length = equals ? (size_t)(equals - size->name) : strlen(size->name);
    GT_REFUSE(length >= sizeof name, GPUTUNE_EINVAL, "%s has no size '%s'", template->name,
              size->name);
    memcpy(name, size->name, length);
    name[length] = '\0';
    GT_TRY(gt_name_find(&index, template, false, name));
    GT_REFUSE(given[index], GPUTUNE_EINVAL, "size '%s' is given twice; expected it once", name);
    given[index] = true;
    return equals ? set_word(&problem->values[index], &template->problem[index], equals + 1)
                  : set_number(&problem->values[index], &template->problem[index], size->value);
}

gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes)
{
    gt_problem problem = {0};
    bool given[GT_PROBLEM_MAX] = {false};
    for (uint32_t i = 0; i < template->problem_count; i++) {
        problem.values[i] = template->problem[i].fallback;
    }
    for (size_t i = 0; i < sizes.count; i++) {
        GT_TRY(bind_one(&problem, given, template, &sizes.items[i]));
    }
    *out = problem;
    return GPUTUNE_OK;
}

gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem)
{
    gt_text text = {0};
    for (uint32_t i = 0; i < template->problem_count; i++) {
        gt_text_printf(&text, "%s%s=%s", i ? " " : "", template->problem[i].name,
                       GT_TEXT_OF_VALUE(&problem->values[i]));
    }
    return gt_text_take(out, &text);
}

gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text)
{
    gputune_size items[GT_PROBLEM_MAX];
    gputune_sizes sizes = {0, items};
    GT_FREED char *copy = NULL;
    GT_TRY(gt_strdup(&copy, text));
    for (char *at = copy; *at && sizes.count < GT_PROBLEM_MAX;) {
        char *end = at + gt_setting_length(at, false), *next = end + strspn(end, " ");
        *end = '\0';
        items[sizes.count++] = (gputune_size){at, 0};
        at = next;
    }
    return gt_problem_bind(out, template, sizes);
}

/* memory of a small problem: fast to verify, enough for several blocks of the largest tiles */
static const uint64_t cheap_bytes = 32 << 20;

static bool has_files(const gt_template *template)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (template->arguments[i].fill.file || template->arguments[i].expected) {
            return true;
        }
    }
    for (uint32_t i = 0; i < template->pass_count; i++) {
        if (template->passes[i].fill.file) {
            return true;
        }
    }
    return false;
}

/* Returns true if the strides of a tensor map depend on a size. Such a size is kept, because the
 * strides must remain multiples of 16 bytes. */
static bool shapes_map(const gt_template *template, int size)
{
    const gt_template_parts *parts = template->parts;
    bool shapes = false;
    for (const gt_expression *own = NULL; (own = gt_expression_of(parts, "tensormap", own));) {
        shapes |= gt_expression_uses(own, GT_SLOT_PROBLEM + size);
    }
    for (uint32_t i = 0; i < parts->map_count; i++) {
        const gt_argument *argument = &template->arguments[parts->maps[i].argument];
        for (uint32_t k = 1; k < argument->extent_count; k++) {
            shapes |= gt_expression_uses(argument->extents[k], GT_SLOT_PROBLEM + size);
        }
    }
    return shapes;
}

static bool must_stay(const gt_template *template, int size)
{
    enum { OF_LAUNCH = GT_SLOT_WORD - GT_SLOT_BLOCK };
    const gt_template_parts *parts = template->parts;
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        const gt_expression *require = parts->constraints[i];
        const bool tunable = gt_expression_uses_any(require, GT_SLOT_AXIS, GT_AXIS_MAX) ||
                             gt_expression_uses_any(require, GT_SLOT_BLOCK, OF_LAUNCH);
        if (tunable && gt_expression_uses(require, GT_SLOT_PROBLEM + size)) {
            return true;
        }
    }
    for (uint32_t a = 0; a < template->axis_count; a++) {
        for (uint32_t i = 0; i < template->argument_count; i++) {
            const gt_argument *argument = &template->arguments[i];
            if (gt_axis_widens(&template->axes[a], i) && argument->extent_count > 1 &&
                gt_expression_uses(argument->extents[argument->extent_count - 1],
                                   GT_SLOT_PROBLEM + size)) {
                return true;
            }
        }
    }
    return shapes_map(template, size);
}

/* Returns true if an odd size would misalign the rows of a texture. */
static bool shapes_texture(const gt_template *template, const gt_problem *problem,
                           const gt_device *device, int size)
{
    gt_binding binding;
    gt_texture textures[GT_TEXTURE_MAX];
    gt_problem odd = *problem;
    odd.values[size].number = (odd.values[size].number - 1) | 1;
    gt_binding_open(&binding, template, &odd, device);
    return gt_textures_make(textures, &binding) != GPUTUNE_OK;
}

/* Returns true if the default configuration can run the problem. Sets *bytes to the device memory
 * that this needs. */
static bool is_allowed(const gt_template *template, const gt_problem *problem,
                       const gt_device *device, uint64_t *bytes)
{
    gt_binding binding;
    const gt_config standard = gt_config_default(template);
    /* allocated on the heap, because some threads have small stacks */
    GT_FREED gt_workload *workload = malloc(sizeof *workload);
    if (!workload || gt_workload_bind(workload, template, problem, device, 0, NULL, 0) < 0) {
        return false;
    }
    *bytes = gt_workload_device_bytes(workload);
    gt_binding_open(&binding, template, problem, device);
    return !gt_binding_all(&binding, &standard) &&
           gt_constraints_hold(template->parts->constraints, template->parts->constraint_count,
                               binding.slots);
}

/* Repeatedly halves the largest size that may change, until the problem needs at most `most_bytes`
 * or this size is below `least`. Skips a size if half of it is invalid or saves hardly any
 * memory. */
static void shrink_problem(gt_problem *problem, const gt_template *template,
                           const gt_device *device, const bool *may_change, uint64_t most_bytes,
                           int64_t least)
{
    uint64_t bytes, fewer;
    bool stays[GT_PROBLEM_MAX] = {false};
    while (is_allowed(template, problem, device, &bytes) && bytes > most_bytes) {
        int largest = -1;
        for (uint32_t i = 0; i < template->problem_count; i++) {
            if (may_change[i] && !stays[i] &&
                (largest < 0 || problem->values[i].number > problem->values[largest].number)) {
                largest = (int)i;
            }
        }
        if (largest < 0 || problem->values[largest].number < least) {
            return;
        }
        gt_problem half = *problem;
        half.values[largest].number /= 2;
        stays[largest] = !is_allowed(template, &half, device, &fewer) || fewer > bytes / 8 * 7;
        if (!stays[largest]) {
            *problem = half;
        }
    }
}

static bool reduce_problem(gt_problem *out, const gt_problem *problem, const gt_template *template,
                           const bool *may_change, int64_t prime, int64_t apart)
{
    bool changed = false;
    int64_t more = 0;
    *out = *problem;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        int64_t value = problem->values[i].number - prime - more;
        if (may_change[i] && value >= 1) {
            /* make the size odd, so no vector width divides it */
            out->values[i].number = value % 2 ? value : value - 1;
            changed = true;
            more += apart;
        }
    }
    return changed;
}

gt_problem gt_problem_small(const gt_template *template, const gt_problem *problem,
                            const gt_device *device)
{
    static const uint64_t most_bytes = 1 << 20;
    enum { LEAST = 32 };
    bool may_change[GT_PROBLEM_MAX] = {false};
    gt_problem small = *problem;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        may_change[i] = template->problem[i].kind == GT_PROBLEM_SIZE;
    }
    if (!has_files(template)) {
        shrink_problem(&small, template, device, may_change, most_bytes, LEAST);
    }
    return small;
}

bool gt_problem_odd_tail(gt_problem *out, const gt_template *template, const gt_problem *problem,
                         const gt_device *device)
{
    static const int64_t primes[] = {13, 7, 5, 3, 2};
    enum { LEAST = 128 };
    bool may_change[GT_PROBLEM_MAX] = {false};
    gt_problem small = *problem, odd_tail;
    uint64_t bytes;
    *out = *problem;
    if (has_files(template)) {
        return false;
    }
    for (uint32_t i = 0; i < template->problem_count; i++) {
        may_change[i] = template->problem[i].kind == GT_PROBLEM_SIZE &&
                        !must_stay(template, (int)i) &&
                        !shapes_texture(template, problem, device, (int)i);
    }
    shrink_problem(&small, template, device, may_change, cheap_bytes, LEAST);
    const gt_problem *bases[] = {&small, problem};
    enum { PRIMES = sizeof primes / sizeof *primes, WAYS = 4 * PRIMES };
    for (size_t w = 0; w < WAYS; w++) {
        int64_t apart = w / PRIMES % 2 ? 0 : 2; /* with 0, equal sizes stay equal */
        if (reduce_problem(&odd_tail, bases[w / PRIMES / 2], template, may_change,
                           primes[w % PRIMES], apart) &&
            is_allowed(template, &odd_tail, device, &bytes)) {
            *out = odd_tail;
            return true;
        }
    }
    return false;
}

const char *gt_type_word(const gt_template *template, const gt_problem *problem, const char *name)
{
    for (int step = 0; step < GT_PROBLEM_MAX + GT_STRUCTURE_MAX; step++) {
        const gt_problem_value *type = gt_problem_type(template, name);
        const gt_structure *other = type ? NULL : gt_structure_of(template, name);
        if (!type && !(other && other->alias[0])) {
            break;
        }
        name = type ? problem->values[type - template->problem].word : other->alias;
    }
    return name;
}

const char *gt_type_text(const gt_template *template, const gt_problem *problem, const char *name)
{
    gt_element element;
    const char *word = gt_type_word(template, problem, name);
    return gt_element_from_name(&element, word) && element.lanes == 1 ? gt_type_name(element.type)
                                                                      : word;
}

static int64_t type_bytes(const char *word)
{
    gt_element element;
    return gt_element_from_name(&element, word) ? element.bytes : 0;
}

void gt_slots_fill(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                   const gt_problem *problem, const gt_device *device)
{
    memset(slots, 0, GT_SLOT_MAX * sizeof *slots);
    for (uint32_t i = 0; i < template->problem_count; i++) {
        slots[GT_SLOT_PROBLEM + i] = problem->values[i].number;
        if (template->problem[i].kind == GT_PROBLEM_TYPE) {
            slots[GT_SLOT_PROBLEM_BYTES + i] =
                type_bytes(gt_type_word(template, problem, problem->values[i].word));
        }
    }
    gt_slots_device(slots, device);
}

void gt_slots_axis(int64_t slots[GT_SLOT_MAX], const gt_template *template, uint32_t axis,
                   uint8_t choice)
{
    const gt_value *value = &template->axes[axis].values[choice];
    int type = value->word ? gt_template_problem_index(template, value->word) : -1;
    slots[GT_SLOT_AXIS + axis] = value->number;
    slots[GT_SLOT_AXIS_BYTES + axis] = type >= 0     ? slots[GT_SLOT_PROBLEM_BYTES + type]
                                       : value->word ? type_bytes(value->word)
                                                     : 0;
}

void gt_slots_config(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                     const gt_config *config)
{
    for (uint32_t i = 0; i < template->axis_count; i++) {
        gt_slots_axis(slots, template, i, config->choice[i]);
    }
}
