/* Reads what a kernel is launched with off its host program. */
#include "draft/call_parts.h"

#include "kernel/types.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static void alias(gt_tracer *t, size_t identity, size_t leaf, int dimension)
{
    if (t->alias_count < GT_TRACE_ALIASES) {
        t->aliases[t->alias_count].identity = identity;
        t->aliases[t->alias_count].leaf = leaf;
        t->aliases[t->alias_count++].dimension = dimension;
    }
}

static bool number_of(int64_t *out, gt_caller *c, gt_span span, const gt_site *site)
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
    for (size_t i = 0; i < c->tracer.alias_count; i++) {
        if (c->tracer.aliases[i].identity == identities[0]) {
            return; /* another parameter has it, too */
        }
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
static const char *fixed_name(const gt_caller *c, uint16_t d)
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
    bool known = !told || number_of(&value, c, span, &site);
    c->call->threads[d] = known && value > 0 && value <= 1024 ? value : 0;
    if (dimension->has_threads && !c->draft->is_pinned && !fixed_name(c, d) &&
        is_on_device(&macro, c, identities, count)) {
        fix_by_macro(c, d, macro);
    }
    const char *name = fixed_name(c, d);
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

static void bind_all(gt_caller *c)
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

static void read_template(gt_caller *c)
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
        if (given && !constant->is_type && number_of(&value, c, item, &c->site)) {
            constant->value = (double)value;
            constant->has_value = true;
        }
    }
}

gt_expression *gt_call_read_text(gt_caller *c, const char *text, size_t length)
{
    gt_expression *expression = NULL;
    gt_lexer lexer;
    gt_scope scope = {.slot = gt_trace_slot, .user = &c->tracer};
    gt_lexer_open(&lexer, text, length, (gt_place){"", 1, 1});
    return gt_expression_read(&expression, &lexer, &scope) == GPUTUNE_OK ? expression : NULL;
}

/* Whether no comparison in the kernel says how far dimension d goes, and no parameter. */
static bool is_unnamed(const gt_caller *c, uint16_t d)
{
    uint16_t size;
    return gt_polynomial_is_symbol(&c->draft->dimensions[d].size, &size) &&
           gt_draft_symbol_at(c->draft, size)->kind == GT_DRAFT_SIZE;
}

/* What a dimension of the grid and its blocks make up, where no comparison in the kernel says it.
 */
static void read_extent(gt_caller *c, uint16_t d)
{
    const char *grid = gt_text_string(&c->call->grid[d]), *slash = strstr(grid, " / ");
    static const char rounded[] = "ceil_div(";
    const char *comma = strrchr(grid, ',');
    double step;
    gt_text *out = &c->call->extent[d];
    gt_text_free(out);
    if (strncmp(grid, rounded, sizeof rounded - 1) == 0 && comma && !strpbrk(comma, "+-/")) {
        gt_text_printf(out, "(%.*s)", (int)(comma - grid - (sizeof rounded - 1)),
                       grid + sizeof rounded - 1);
    } else if (slash && !strpbrk(grid, "+-?")) {
        gt_text_printf(out, "(%.*s)", (int)(slash - grid), grid);
    } else if (gt_polynomial_is_number(&c->draft->dimensions[d].step, &step) && step <= 1) {
        gt_text_printf(out, "(%s)", grid);
    } else if (c->call->grid_dimensions == 0 && c->call->threads[d] > 0 && is_unnamed(c, d)) {
        gt_text_printf(out, "(%s) * %lld", grid, (long long)c->call->threads[d]);
    }
    gt_expression *expression = gt_call_read_text(c, gt_text_string(out), out->length);
    bool has_axis = !expression;
    for (size_t i = 0; i < c->tracer.leaf_count && expression; i++) {
        has_axis |= c->tracer.leaves[i].is_axis && gt_expression_uses(expression, (int)i);
    }
    for (size_t i = 0; i < c->tracer.leaf_count && !has_axis; i++) {
        c->tracer.leaves[i].in_length |= gt_expression_uses(expression, (int)i);
    }
    gt_text plain = {0};
    if (!has_axis && gt_expression_print(&plain, NULL, expression, c->tracer.names)) {
        bool is_name = !strpbrk(gt_text_string(&plain), " /*+-%");
        gt_text_free(out);
        gt_text_printf(out, is_name ? "%s" : "(%s)", gt_text_string(&plain));
    } else {
        gt_text_free(out);
    }
    gt_text_free(&plain);
    gt_expression_free(expression);
}

/* The text that stands for a size that the kernel does not name; "": it has a name of its own. */
const char *gt_call_extent(const gt_draft *draft, uint16_t symbol)
{
    for (uint16_t d = 0; d < 3 && draft->call; d++) {
        uint16_t size;
        if (gt_polynomial_is_symbol(&draft->dimensions[d].size, &size) && size == symbol) {
            return gt_text_string(&draft->call->extent[d]);
        }
    }
    return "";
}

static const char *last_part(const char *name)
{
    return strchr(name, '.') ? strchr(name, '.') + 1 : name;
}

uint32_t gt_call_parameter_of(const gt_draft *draft, const char *name)
{
    uint32_t index = 0;
    while (index < draft->parameter_count && strcmp(draft->parameters[index].name, name) != 0) {
        index++;
    }
    return index;
}

/* What the kernel's body says where the program does not: its parameters are sizes then. */
static void note_symbol(gt_caller *c, const gt_draft_symbol *symbol)
{
    gt_tracer *t = &c->tracer;
    const char *name = last_part(symbol->name);
    uint32_t index = gt_call_parameter_of(c->draft, name);
    bool is_parameter = index < c->draft->parameter_count;
    int found = gt_trace_slot(t, name);
    size_t leaf = (size_t)found;
    gt_span span;
    int64_t value = 0;
    if (found < 0) {
        bool given =
            is_parameter && gt_program_item_at(c->program, &span, c->launch.arguments, index);
        bool known = given && number_of(&value, c, span, &c->site);
        gt_expression *made = given && !known ? gt_trace(t, "", span, &c->site, "") : NULL;
        for (size_t l = 0; l < t->leaf_count && made; l++) {
            t->leaves[l].in_length |= gt_expression_uses(made, (int)l);
        }
        gt_expression_free(made);
        if (made) {
            return; /* its value stands for it */
        }
        leaf = gt_trace_add(t, name, 0, is_parameter ? (int)index : -1);
        t->leaves[leaf].has_value = known;
        t->leaves[leaf].value = value;
    }
    t->leaves[leaf].in_length = t->leaves[leaf].in_grid = true;
}

static void note_polynomial(gt_caller *c, const gt_polynomial *p)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(c->draft, power->symbol);
        if (symbol->kind == GT_DRAFT_PARAMETER ||
            (symbol->kind == GT_DRAFT_SIZE && !gt_call_extent(c->draft, power->symbol)[0])) {
            note_symbol(c, symbol);
        }
    }
}

double gt_call_value(const void *user, uint16_t symbol)
{
    const gt_caller *c = user;
    const gt_draft_symbol *own = gt_draft_symbol_at(c->draft, symbol);
    int leaf = gt_trace_slot((void *)&c->tracer, last_part(own->name));
    return leaf >= 0 && c->tracer.leaves[leaf].has_value ? (double)c->tracer.leaves[leaf].value
           : own->kind == GT_DRAFT_PARAMETER || own->kind == GT_DRAFT_SIZE ? (double)c->chosen
                                                                           : 16;
}

static void note_fallbacks(gt_caller *c)
{
    gt_draft *draft = c->draft;
    for (uint16_t d = 0; d < 3; d++) {
        read_extent(c, d);
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &draft->buffers[i];
        if (c->call->parameters[buffer->parameter].length.length > 0) {
            continue;
        }
        note_polynomial(c, &buffer->length);
        for (uint16_t d = 0; d < 3 && !buffer->length.known; d++) {
            note_polynomial(c, &draft->dimensions[d].size);
        }
    }
    for (uint16_t d = 0; d < 3 && c->call->grid_dimensions == 0; d++) {
        note_polynomial(c, &draft->dimensions[d].size);
        note_polynomial(c, &draft->dimensions[d].step);
    }
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* `<<<` and `>>>`, with blanks or without. */
static bool is_joined(const gt_program *program, size_t at, const char *first, const char *second)
{
    return gt_program_is(program, at, first) && gt_program_is(program, at + 1, second);
}

/* With `open` on `<<<`. */
static bool read_launch(gt_call_launch *out, const gt_program *program, size_t open,
                        const char *kernel)
{
    size_t name = open - 1, close = open + 2;
    if (gt_program_is(program, name, ">")) {
        const gt_token *tokens = program->tokens.items;
        size_t end = name;
        for (int depth = -1; depth < 0 && name > 0 && !gt_program_is(program, name, ";");) {
            depth += gt_token_angles(&tokens[--name]);
        }
        out->types = (gt_span){name + 1, end};
        name -= name > 0;
    }
    while (close < program->code && !is_joined(program, close, ">>", ">")) {
        close = gt_program_is(program, close, "(") ? gt_program_close(program, close) : close;
        close++;
    }
    if (!gt_program_is(program, name, kernel) || !gt_program_is(program, close + 2, "(")) {
        return false;
    }
    out->at = name;
    out->config = (gt_span){open + 2, close};
    out->arguments = (gt_span){close + 3, gt_program_close(program, close + 2)};
    return true;
}

/* The kernel's next launch from there on. */
static bool find_launch(gt_caller *c, const char *kernel, size_t from)
{
    const gt_program *program = c->program;
    size_t needed = c->draft->parameter_count; /* arguments: what has a default may be left out */
    while (needed > 0 && c->draft->parameters[needed - 1].has_default) {
        needed--;
    }
    for (size_t i = from + 1; i + 1 < program->code; i++) {
        gt_call_launch found = {0};
        gt_span item;
        if (is_joined(program, i, "<<", "<") && read_launch(&found, program, i, kernel) &&
            (needed == 0 || gt_program_item_at(program, &item, found.arguments, needed - 1))) {
            c->launch = found;
            c->site = (gt_site){found.at, gt_program_function_at(program, found.at), NULL};
            return true;
        }
    }
    return false;
}

/* Whether the launch gives a template's parameter, which is the block in the code, another number
 * than its block: `if (n == 16) k<16><<<grid, block>>>()`, which the program does not come to. */
static bool is_impossible(gt_caller *c)
{
    for (uint16_t d = 0; d < 3; d++) {
        const char *name = fixed_name(c, d);
        const gt_draft_constant *own = name ? gt_draft_constant_of(c->draft, name) : NULL;
        gt_span span;
        gt_site site = c->site;
        int64_t threads;
        if (own && own->is_template_parameter && own->has_value &&
            gt_program_item_at(c->program, &span, c->launch.config, 1) &&
            gt_trace_component(&c->tracer, &span, &site, d) && span.first < span.end &&
            number_of(&threads, c, span, &site) && own->value != (double)threads) {
            return true;
        }
    }
    return false;
}

/* The first launch that is possible, or the first. */
static bool choose_launch(gt_caller *c, const char *kernel)
{
    for (bool any = true; find_launch(c, kernel, 0); any = false) {
        read_template(c);
        while (any && is_impossible(c)) {
            if (!find_launch(c, kernel, c->launch.arguments.end)) {
                break;
            }
            read_template(c);
        }
        if (!any || !is_impossible(c)) {
            return true;
        }
    }
    return false;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void write_blocks(gt_caller *c)
{
    for (uint16_t d = 0; d < 3; d++) {
        gt_span span;
        gt_site site = c->site;
        c->tracer.dimension = d;
        if (c->draft->dimensions[d].has_threads && fixed_name(c, d) && !c->is_pinned &&
            gt_program_item_at(c->program, &span, c->launch.config, 1) &&
            gt_trace_component(&c->tracer, &span, &site, d) && span.first < span.end) {
            (void)gt_call_append(c, &c->call->block[d], NULL, GT_CALL_GRID, "", span, &site, "");
        }
    }
}

void gt_call_read(gt_draft *draft)
{
    gt_caller *c = calloc(1, sizeof *c);
    char kernel[GT_NAME_MAX];
    if (!c) {
        draft->failed = true;
        return;
    }
    gt_draft_function_name(kernel, draft, &draft->function);
    c->draft = draft;
    c->program = c->tracer.program = draft->program;
    c->tracer.parameters = draft->parameters;
    c->tracer.parameter_count = draft->parameter_count;
    c->call = calloc(1, sizeof *c->call);
    draft->failed |= !c->call;
    if (!draft->failed && choose_launch(c, kernel)) {
        draft->call = c->call;
        bind_all(c);
        gt_call_read_values(c);
        if (c->is_pinned) {
            bind_all(c);
            gt_call_read_values(c);
        }
        note_fallbacks(c);
        gt_call_settle_leaves(&c->tracer);
        gt_call_read_values(c);
        note_fallbacks(c);
        for (uint32_t i = 0; i < draft->parameter_count; i++) {
            const char *value = gt_text_string(&c->call->parameters[i].value);
            bool plain = strspn(value, "0123456789") == strlen(value);
            gt_text_printf(&c->call->parameters[i].enclosed, plain ? "%s" : "(%s)", value);
        }
        gt_call_read_casts(c);
        gt_call_keep_true(c);
        gt_call_write_work(c);
        write_blocks(c);
        gt_call_write_sizes(c);
        c->call = NULL;
        draft->failed |= c->tracer.text.failed;
    }
    gt_call_free(c->call);
    gt_text_free(&c->tracer.text);
    free(c);
}

bool gt_call_is_launched(const gt_draft *draft)
{
    gt_caller c = {.draft = (gt_draft *)draft, .program = draft->program};
    char kernel[GT_NAME_MAX];
    gt_draft_function_name(kernel, draft, &draft->function);
    return find_launch(&c, kernel, 0);
}

void gt_call_free(gt_call *call)
{
    if (!call) {
        return;
    }
    for (int d = 0; d < 3; d++) {
        gt_text_free(&call->block[d]);
        gt_text_free(&call->grid[d]);
        gt_text_free(&call->extent[d]);
    }
    for (size_t i = 0; i < GT_PARAMETER_MAX; i++) {
        gt_text_free(&call->parameters[i].length);
        gt_text_free(&call->parameters[i].value);
        gt_text_free(&call->parameters[i].enclosed);
        gt_text_free(&call->parameters[i].unknown);
        gt_text_free(&call->parameters[i].fill);
    }
    gt_text_free(&call->sizes);
    gt_text_free(&call->shared);
    gt_text_free(&call->divided);
    gt_text_free(&call->work);
    free(call);
}
