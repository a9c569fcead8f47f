/* Names what a launch is made of like the kernel, and its block. */
#include "draft/call_parts.h"
#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

static void alias(gt_tracer *t, size_t identity, size_t leaf, int dimension)
{
    if (t->alias_count < GT_TRACE_ALIASES) {
        t->aliases[t->alias_count].identity = identity;
        t->aliases[t->alias_count].leaf = leaf;
        t->aliases[t->alias_count++].dimension = dimension;
    }
}

bool gt_call_number_of(int64_t *out, gt_caller *c, gt_span span, const gt_site *site)
{
    gt_expression *expression = gt_trace(&c->tracer, "", span, site, "");
    bool known = expression && gt_trace_value(out, &c->tracer, expression);
    gt_expression_free(expression);
    return known;
}

/* Whether one of the chain is a macro that device code reads as well; its name's token in *macro.
 */
static bool is_on_device(size_t *macro, const gt_caller *c, const size_t *identities, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (identities[i] >= c->program->code &&
            gt_program_on_device(c->program, &c->program->tokens.items[identities[i]])) {
            *macro = identities[i];
            return true;
        }
    }
    return false;
}

/* A variable that is handed to the kernel is called like the kernel's parameter. */
static void bind_parameter(gt_caller *c, uint32_t index)
{
    const gt_function_parameter *parameter = &c->draft->parameters[index];
    size_t identities[GT_TRACE_CHAIN], macro;
    gt_span span;
    gt_site site = c->site;
    int symbol = gt_draft_find_symbol(c->draft, parameter->name);
    if (parameter->pointer || symbol < 0 || !c->draft->symbols.items[symbol].is_integer ||
        !gt_program_item_at(c->program, &span, c->launch.arguments, index)) {
        return;
    }
    size_t count = gt_trace_chain(identities, &c->tracer, &span, &site);
    if (count == 0 || is_on_device(&macro, c, identities, count)) {
        return;
    }
    int64_t value = 0;
    size_t leaves = c->tracer.leaf_count;
    int uses = c->tracer.leaf_uses;
    gt_expression *expression = gt_trace(&c->tracer, "", span, &site, "");
    bool known = expression && gt_trace_value(&value, &c->tracer, expression);
    bool is_name =
        span.end == span.first + 1 && c->program->tokens.items[span.first].kind == GT_TOKEN_NAME;
    bool is_derived = expression && !is_name && c->tracer.leaf_uses > uses;
    gt_expression_free(expression);
    c->tracer.leaf_count = leaves;
    if (is_derived) {
        return;
    }
    size_t leaf = gt_trace_add(&c->tracer, parameter->name, identities[0], (int)index);
    c->tracer.leaves[leaf].origin = span;
    c->tracer.leaves[leaf].has_value = known;
    c->tracer.leaves[leaf].value = value;
    for (size_t i = 0; i < count; i++) {
        alias(&c->tracer, identities[i], leaf, -1);
    }
}

/* The block that the code itself fixes by a name, or by a number. */
const char *gt_call_fixed_name(const gt_caller *c, uint16_t d)
{
    uint16_t symbol;
    return gt_polynomial_is_symbol(&c->draft->dimensions[d].fixed, &symbol)
               ? c->draft->symbols.items[symbol].name
               : NULL;
}

static void fix_by_macro(gt_caller *c, uint16_t d, size_t macro)
{
    char name[GT_NAME_MAX];
    gt_draft_token_text(name, sizeof name, &c->program->tokens.items[macro]);
    int symbol = gt_draft_find_symbol(c->draft, name);
    if (symbol < 0) {
        symbol = gt_draft_add_symbol(c->draft, name, GT_DRAFT_CONSTANT);
    }
    if (symbol > 0) {
        c->draft->dimensions[d].fixed = gt_polynomial_symbol((uint16_t)symbol);
    }
}

static void bind_block(gt_caller *c, uint16_t d)
{
    gt_draft_dimension *dimension = &c->draft->dimensions[d];
    gt_tracer *t = &c->tracer;
    size_t identities[GT_TRACE_CHAIN], macro;
    gt_span span, first;
    gt_site site = c->site;
    double number;
    int64_t value = 1;
    if (!gt_program_item_at(c->program, &span, c->launch.config, 1) ||
        !gt_trace_component(t, &span, &site, d)) {
        return;
    }
    first = span;
    bool told = span.first < span.end;
    size_t count = told ? gt_trace_chain(identities, t, &span, &site) : 0;
    bool known = !told || gt_call_number_of(&value, c, span, &site);
    c->call->threads[d] = known && value > 0 && value <= 1024 ? value : 0;
    if (dimension->has_threads && !gt_call_fixed_name(c, d) &&
        is_on_device(&macro, c, identities, count)) {
        fix_by_macro(c, d, macro);
    }
    const char *name = gt_call_fixed_name(c, d);
    const gt_draft_constant *own = name ? gt_draft_constant_of(c->draft, name) : NULL;
    if (own && own->is_template_parameter && own->has_value && c->call->threads[d] &&
        own->value != (double)c->call->threads[d]) {
        dimension->fixed = gt_polynomial_number((double)value); /* it is another size */
        name = NULL;
    }
    bool is_number = gt_polynomial_is_number(&dimension->fixed, &number) || c->is_pinned ||
                     (dimension->fixed.known && !name) || !dimension->has_threads;
    if (is_number && c->call->threads[d]) {
        dimension->fixed = gt_polynomial_number((double)value);
    }
    for (uint16_t e = 0; e < d && !name && !is_number && count; e++) {
        for (size_t i = 0; i < t->alias_count; i++) {
            if (t->aliases[i].identity == identities[0] && t->aliases[i].dimension == e) {
                memcpy(c->draft->axes[d], c->draft->axes[e], sizeof c->draft->axes[d]);
            }
        }
    }
    bool is_grouped = d == 0 && !dimension->has_threads && (!known || value > 1);
    if (is_grouped) { /* the code asks for its thread by other names */
        dimension->has_threads = true;
        dimension->fixed = gt_polynomial_unknown();
        is_number = c->is_pinned;
    }
    if (!dimension->has_threads) {
        return;
    }
    name = name ? name : c->draft->axes[d];
    size_t leaf = 0;
    while (leaf < t->leaf_count && strcmp(t->leaves[leaf].name, name) != 0) {
        leaf++;
    }
    leaf = leaf < t->leaf_count ? leaf : gt_trace_add(t, name, 0, -1);
    t->leaves[leaf].is_axis = !is_number;
    t->leaves[leaf].is_number = is_number;
    t->leaves[leaf].has_value = c->call->threads[d] > 0;
    t->leaves[leaf].value = value;
    t->blocks[d].value = first;
    t->blocks[d].leaf = leaf;
    t->blocks[d].literal = told && count == 0 && !is_number ? c->call->threads[d] : 0;
    for (size_t i = 0; i < count; i++) {
        alias(t, identities[i], leaf, d);
    }
}

void gt_call_bind(gt_caller *c)
{
    c->tracer.leaf_count = c->tracer.alias_count = 0;
    for (uint32_t i = 0; i < c->draft->parameter_count; i++) {
        bind_parameter(c, i);
    }
    for (uint16_t d = 0; d < 3; d++) {
        bind_block(c, d);
    }
}

/* The type that what is handed to the parameter is declared with, `TYPE *NAME`, here or in a
 * caller;
 * "": it is not found. */
static void find_pointer_type(char out[GT_NAME_MAX], const gt_caller *c, uint32_t index)
{
    enum { HOPS = 6 };
    const gt_program *program = c->program;
    gt_span value = {0, 0};
    gt_site site = c->site;
    gt_found found;
    (void)gt_program_item_at(program, &value, c->launch.arguments, index);
    for (int hop = 0; hop < HOPS && value.first < value.end; hop++) {
        value = gt_program_strip(program, value);
        if (value.end != value.first + 1 || !gt_program_find(&found, program, &site, value.first)) {
            break;
        }
        const gt_span type = gt_program_type(program, found.identity);
        if (gt_program_is(program, type.end, "*") && gt_trace_type(out, program, type, &site) > 0) {
            return;
        }
        value = found.value;
        site = found.site;
    }
    out[0] = '\0';
}

/* What a type of the kernel's template comes to, where the launch leaves it to the arguments. */
static void deduce_type(const gt_caller *c, gt_draft_constant *constant)
{
    for (uint32_t i = 0; i < c->draft->parameter_count && !constant->type[0]; i++) {
        const gt_function_parameter *parameter = &c->draft->parameters[i];
        if (parameter->pointer && strcmp(parameter->words, constant->name) == 0) {
            find_pointer_type(constant->type, c, i);
        }
    }
}

/* Parameters of a type that the launch gives may be sizes. */
static void note_integers(gt_draft *draft, const gt_draft_constant *type)
{
    gt_element element;
    bool is_integer = gt_element_from_name(&element, type->type) &&
                      !gt_type_is_float(element.type) && element.lanes == 1;
    for (size_t i = 0; i < draft->parameter_count && is_integer; i++) {
        int symbol = gt_draft_find_symbol(draft, draft->parameters[i].name);
        if (symbol > 0 && strcmp(draft->parameters[i].words, type->name) == 0) {
            draft->symbols.items[symbol].is_integer = true;
        }
    }
}

void gt_call_read_template(gt_caller *c)
{
    size_t index = 0;
    for (size_t i = 0; i < c->draft->constants.count; i++) {
        gt_draft_constant *constant = &c->draft->constants.items[i];
        gt_span item;
        int64_t value;
        if (!constant->is_template_parameter) {
            continue;
        }
        bool given = gt_program_item_at(c->program, &item, c->launch.types, index++);
        if (constant->is_type) {
            bool known = given && gt_trace_type(constant->type, c->program, item, &c->site) > 0;
            constant->type[0] = known ? constant->type[0] : '\0';
            if (!given) {
                deduce_type(c, constant);
            }
            note_integers(c->draft, constant);
        }
        if (given && !constant->is_type && gt_call_number_of(&value, c, item, &c->site)) {
            constant->value = (double)value;
            constant->has_value = true;
        }
    }
}
