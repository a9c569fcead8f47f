/* Finds the slots of names in expressions, and fills the slots with values. */
#include "kernel/template/symbols.h"

#include "kernel/template/declared.h"
#include "kernel/text/functions.h"
#include "kernel/text/types.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The properties of a device, and after them the properties of a launch. */
static const struct property {
    const char *name;
    unsigned use;
    int slot;             /* slot of a property of a launch */
    size_t offset, bytes; /* offset and size in gt_device of a property of a device */
} properties[] = {
#define DEVICE(name, member)                                                                       \
    {                                                                                              \
#name, GT_USE_DEVICE, 0, offsetof(gt_device, member), sizeof(((gt_device *)0)->member)     \
    }
    DEVICE(cc, cc),
    DEVICE(sm_count, sm_count),
    DEVICE(warp_size, warp_size),
    DEVICE(l2_bytes, l2_bytes),
    DEVICE(bus_width_bits, bus_width_bits),
    DEVICE(max_threads, max_threads_per_block),
    DEVICE(max_threads_per_sm, max_threads_per_sm),
    DEVICE(max_blocks_per_sm, max_blocks_per_sm),
    DEVICE(registers_per_sm, registers_per_sm),
    DEVICE(registers_per_block, registers_per_block),
    DEVICE(shared_per_block, shared_per_block_bytes),
    DEVICE(shared_optin, shared_per_block_optin_bytes),
    DEVICE(shared_per_sm, shared_per_sm_bytes),
    DEVICE(shared_reserved, shared_reserved_per_block_bytes),
    DEVICE(constant_bytes, constant_bytes),
    DEVICE(max_cluster, max_cluster),
    DEVICE(max_parameter_bytes, max_parameter_bytes),
#undef DEVICE
    {"block_x", GT_USE_BLOCK, GT_SLOT_BLOCK, 0, 0},
    {"block_y", GT_USE_BLOCK, GT_SLOT_BLOCK + 1, 0, 0},
    {"block_z", GT_USE_BLOCK, GT_SLOT_BLOCK + 2, 0, 0},
    {"max_blocks", GT_USE_OCCUPANCY, GT_SLOT_OCCUPANCY, 0, 0},
    {"max_clusters", GT_USE_OCCUPANCY, GT_SLOT_OCCUPANCY + 1, 0, 0},
    {"grid_x", GT_USE_GRID, GT_SLOT_GRID, 0, 0},
    {"grid_y", GT_USE_GRID, GT_SLOT_GRID + 1, 0, 0},
    {"grid_z", GT_USE_GRID, GT_SLOT_GRID + 2, 0, 0},
};

enum { PROPERTIES = sizeof properties / sizeof *properties, OF_LAUNCH = 8 };
_Static_assert((int)GT_SLOT_DEVICE + (int)PROPERTIES - (int)OF_LAUNCH <= (int)GT_SLOT_BLOCK,
               "slots overlap");
_Static_assert((int)GT_SLOT_COUNTER + (int)GT_COUNTERS_MAX <= (int)GT_SLOT_WORD, "slots overlap");
_Static_assert((int)GT_SLOT_WORD + (int)GT_WORDS_MAX <= (int)GT_SLOT_MAX, "too many slots");

static int property_index(const char *name)
{
    const int i = (int)gt_index_of(name, properties, PROPERTIES);
    return i < PROPERTIES ? i : -1;
}

bool gt_symbol_is_reserved(const char *name)
{
    return property_index(name) >= 0;
}

/* Returns the slot of a name, or -1. Sets *use to the GT_USE_ bit that the name needs. */
static int find_symbol(const gt_template *template, const char *name, unsigned *use)
{
    int i = GT_NAMED(template->parts->counters, template->parts->open_loops, name);
    if (i >= 0) {
        *use = GT_USE_COUNTER;
        return GT_SLOT_COUNTER + i;
    }
    if ((i = gt_template_problem_index(template, name)) >= 0) {
        *use = template->problem[i].kind == GT_PROBLEM_SIZE ? GT_USE_SIZE : GT_USE_CONST;
        return GT_SLOT_PROBLEM + i;
    }
    if ((i = gt_template_axis_index(template, name)) >= 0) {
        *use = GT_USE_AXIS;
        return GT_SLOT_AXIS + i;
    }
    if ((i = property_index(name)) >= 0) {
        *use = properties[i].use;
        return *use == GT_USE_DEVICE ? GT_SLOT_DEVICE + i : properties[i].slot;
    }
    const uint32_t all = template->parts->word_count;
    const uint32_t words = all < GT_WORDS_MAX ? all : GT_WORDS_MAX;
    const uint32_t word = (uint32_t)gt_index_of(name, template->parts->words, words);
    *use = 0;
    return word < words ? GT_SLOT_WORD + (int)word : -1;
}

static int slot_of(void *user, const char *name)
{
    const gt_symbols *symbols = user;
    unsigned use;
    if ((symbols->use & GT_USE_ELEMENT) && strcmp(name, "index") == 0) {
        return GT_SLOT_ELEMENT;
    }
    int slot = find_symbol(symbols->template, name, &use);
    return slot >= 0 && (use & ~symbols->use) == 0 ? slot : -1;
}

static bool are_types(const gt_template *template, const gt_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *word = values[i].word ? values[i].word : "";
        if (!gt_problem_type(template, word) && !gt_is_type(word)) {
            return false;
        }
    }
    return true;
}

static int size_slot_of(void *user, const char *name)
{
    const gt_symbols *symbols = user;
    const gt_template *template = symbols->template;
    const gt_problem_value *type = gt_problem_type(template, name);
    int axis = gt_template_axis_index(template, name);
    if (type) {
        return GT_SLOT_PROBLEM_BYTES + (int)(type - template->problem);
    }
    bool sized = axis >= 0 && (symbols->use & GT_USE_AXIS) &&
                 are_types(template, template->axes[axis].values, template->axes[axis].count);
    return sized ? GT_SLOT_AXIS_BYTES + axis : -1;
}

static const char *use_name(unsigned use)
{
    static const struct {
        unsigned use;
        const char *name;
    } names[] = {
        {GT_USE_SIZE, "a run-time size"},
        {GT_USE_CONST, "a compile-time problem value"},
        {GT_USE_AXIS, "a tunable"},
        {GT_USE_DEVICE, "a device property"},
        {GT_USE_BLOCK, "a block's dimension"},
        {GT_USE_OCCUPANCY,
         "the number of resident blocks, which is known only after block and shared memory"},
        {GT_USE_GRID, "a grid's dimension"},
        {GT_USE_COUNTER, "a loop's counter"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].use == use) {
            return names[i].name;
        }
    }
    return "a word";
}

static const char *allowed_text(unsigned use)
{
    if (use & GT_USE_AXIS) {
        return use & GT_USE_SIZE ? "a tunable, a problem value or a device property"
                                 : "a tunable, a compile-time problem value or a device property";
    }
    if (use & GT_USE_SIZE) {
        return "a problem value or a device property";
    }
    return use & GT_USE_CONST ? "a number or a compile-time problem value" : "a number";
}

static void try_names(gt_near *near, const gt_symbols *symbols)
{
    const gt_template *template = symbols->template;
    if (symbols->use & GT_USE_COUNTER) {
        gt_near_items(near, template->parts->counters, template->parts->open_loops);
    }
    for (uint32_t i = 0; i < template->problem_count; i++) {
        unsigned use = template->problem[i].kind == GT_PROBLEM_SIZE ? GT_USE_SIZE : GT_USE_CONST;
        gt_near_items(near, &template->problem[i], (use & symbols->use) != 0);
    }
    if (symbols->use & GT_USE_AXIS) {
        gt_near_items(near, template->axes, template->axis_count);
    }
    for (int i = 0; i < PROPERTIES; i++) {
        gt_near_try(near, properties[i].use & symbols->use ? properties[i].name : "");
    }
}

static void explain_symbol(void *user, const char *name, char *out, size_t bytes)
{
    const gt_symbols *symbols = user;
    const char *allowed = allowed_text(symbols->use);
    unsigned use;
    gt_near near = gt_near_to(name);
    try_names(&near, symbols);
    if (find_symbol(symbols->template, name, &use) >= 0) {
        (void)snprintf(out, bytes, "'%s' is %s; expected %s here", name, use_name(use), allowed);
    } else {
        (void)snprintf(out, bytes, "unknown name '%s'; expected %s", name,
                       gt_near_or(&near, allowed));
    }
}

static bool standard_meaning(const char *name, gt_lexer *value)
{
    static const struct {
        const char *name, *text;
    } constants[] = {{"INFINITY", "(1e308 * 1e308)"},
                     {"FLT_MAX", "3.402823466385288598e38"},
                     {"FLT_MIN", "1.175494350822287508e-38"},
                     {"DBL_MAX", "1.797693134862315708e308"},
                     {"M_PI", "3.14159265358979323846"},
                     {"INT_MIN", "(-2147483647 - 1)"},
                     {"INT_MAX", "2147483647"},
                     {"UINT_MAX", "4294967295"},
                     {"true", "1"},
                     {"false", "0"}};
    const size_t i = gt_index_of(name, constants, sizeof constants / sizeof *constants);
    if (i == sizeof constants / sizeof *constants) {
        return false;
    }
    *value = gt_lexer_of(constants[i].text);
    return true;
}

/* Finds the value of a name that a define() clause, the code or a header of C defines. */
static bool meaning_of(void *user, const char *name, gt_lexer *value, int64_t *above)
{
    const gt_symbols *symbols = user;
    const gt_template_parts *parts = symbols->template->parts;
    unsigned use;
    *above = 0;
    if (!symbols->code || find_symbol(symbols->template, name, &use) >= 0) {
        return false;
    }
    const int own = GT_NAMED(parts->defines, parts->define_count, name);
    if (own >= 0 && parts->defines[own].value) {
        const gt_expression *its = parts->defines[own].value;
        gt_lexer_open(value, its->text, strlen(its->text), its->place);
        return true;
    }
    return gt_code_constant(value, above, symbols->code, name) || standard_meaning(name, value);
}

gt_scope gt_symbols_scope(gt_symbols *symbols)
{
    return (gt_scope){slot_of, size_slot_of, meaning_of, explain_symbol, symbols};
}

bool gt_symbol_is_known(gt_symbols *symbols, const gt_token *token)
{
    const char *name = GT_TOKEN_TEXT(token);
    gt_lexer value;
    int64_t above;
    return slot_of(symbols, name) >= 0 || meaning_of(symbols, name, &value, &above);
}

uint64_t gt_axes_used(const gt_expression *expression)
{
    uint64_t mask = 0;
    for (int axis = 0; expression && axis < GT_AXIS_MAX; axis++) {
        bool uses = gt_expression_uses(expression, GT_SLOT_AXIS + axis) ||
                    gt_expression_uses(expression, GT_SLOT_AXIS_BYTES + axis);
        mask |= uses ? UINT64_C(1) << axis : 0;
    }
    return mask;
}

const gt_expression *gt_expression_of(const gt_template_parts *parts, const char *words,
                                      const gt_expression *last)
{
    const gt_expression *next = last ? last->before : parts->expressions;
    while (next && !gt_is_any(next->word, strlen(next->word), words)) {
        next = next->before;
    }
    return next;
}

uint64_t gt_axes_of(const gt_template_parts *parts, const char *words)
{
    uint64_t axes = 0;
    for (const gt_expression *one = NULL; (one = gt_expression_of(parts, words, one));) {
        axes |= gt_axes_used(one);
    }
    return axes;
}

bool gt_counters_used(const gt_expression *expression)
{
    return gt_expression_uses_any(expression, GT_SLOT_COUNTER, GT_COUNTERS_MAX);
}

void gt_slots_device(int64_t slots[GT_SLOT_MAX], const gt_device *device)
{
    for (int i = 0; i < PROPERTIES - OF_LAUNCH; i++) {
        const char *member = (const char *)device + properties[i].offset;
        int value = 0;
        memcpy(&value, member, sizeof value);
        slots[GT_SLOT_DEVICE + i] = value;
        if (properties[i].bytes == sizeof *slots) {
            memcpy(&slots[GT_SLOT_DEVICE + i], member, sizeof *slots);
        }
    }
    for (int i = 0; i < GT_WORDS_MAX; i++) {
        slots[GT_SLOT_WORD + i] = i;
    }
    slots[GT_SLOT_WORD + GT_WORD_AUTO] = -1;
}
