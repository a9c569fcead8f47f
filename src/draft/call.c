/* Reads what a kernel is launched with off its host program. */
#include "draft/trace.h"

#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- the launch ------------------------------------------------------------------------------ */

/* `<<<` and `>>>`, with blanks or without. */
static bool is_joined(const gt_program *p, size_t at, const char *first, const char *second)
{
    return gt_program_is(p, at, first) && gt_program_is(p, at + 1, second);
}

/* With `open` on `<<<`. */
static bool read_launch(gt_call_launch *out, const gt_program *p, size_t open, const char *kernel)
{
    size_t name = open - 1, close = open + 2;
    *out = (gt_call_launch){0};
    if (gt_program_is(p, name, ">")) {
        const size_t angle = gt_program_open_angle(p, name);
        out->types = (gt_span){angle + 1, name};
        name = angle - (angle > 0);
    }
    while (close < p->code && !is_joined(p, close, ">>", ">")) {
        close = gt_program_is(p, close, "(") ? gt_program_close(p, close) : close;
        close++;
    }
    out->at = name;
    out->config = (gt_span){open + 2, close};
    out->arguments = (gt_span){close + 3, gt_program_close(p, close + 2)};
    return gt_program_is(p, name, kernel) && gt_program_is(p, close + 2, "(");
}

/* The kernel's next launch from there on. */
static bool find_launch(gt_tracer *c, size_t from)
{
    const gt_program *p = c->program;
    size_t needed = c->draft->argument_count; /* what has a default may be left out */
    while (needed > 0 && c->draft->arguments[needed - 1].declared.has_default) {
        needed--;
    }
    for (size_t i = from + 1; i + 1 < p->code; i++) {
        gt_call_launch found;
        gt_span item;
        if (is_joined(p, i, "<<", "<") && read_launch(&found, p, i, c->draft->name) &&
            (needed == 0 || gt_program_item_at(p, &item, found.arguments, needed - 1))) {
            c->launch = found;
            c->site = gt_program_site(p, found.at);
            return true;
        }
    }
    return false;
}

bool gt_call_argument(const gt_tracer *c, gt_closure *out, const gt_draft_argument *argument)
{
    const size_t index = (size_t)(argument - c->draft->arguments);
    out->site = c->site;
    return gt_program_item_at(c->program, &out->span, c->launch.arguments, index);
}

bool gt_call_configured(const gt_tracer *c, gt_closure *out, size_t index, int dimension)
{
    out->site = c->site;
    if (!gt_program_item_at(c->program, &out->span, c->launch.config, index)) {
        return false;
    }
    gt_trace_component(c, out, dimension);
    return !gt_span_is_empty(out->span);
}

static bool number_of(int64_t *out, gt_tracer *c, const gt_closure *value)
{
    GT_FREED gt_expression *expression = gt_trace(c, "", value, "");
    return expression && gt_trace_value(out, c, expression);
}

/* ---- template arguments ---------------------------------------------------------------------- */

/* The type that what is handed to the parameter is declared with, `TYPE *NAME`, here or in a
 * caller; "": it is not found. */
static void find_pointer_type(char out[GT_NAME_MAX], const gt_tracer *c,
                              const gt_draft_argument *argument)
{
    enum { HOPS = 6 };
    const gt_program *p = c->program;
    gt_closure value;
    gt_found found;
    bool goes_on = gt_call_argument(c, &value, argument);
    for (int hop = 0; hop < HOPS && goes_on; hop++) {
        const gt_site own = value.site;
        goes_on = gt_program_follow(&found, p, &value);
        const gt_span type = gt_program_type(p, found.identity);
        if (found.identity && gt_program_is(p, type.end, "*") &&
            gt_trace_type(out, p, (gt_closure){type, own}) > 0) {
            return;
        }
    }
    out[0] = '\0';
}

/* What a type of the kernel's template comes to, where the launch leaves it to the arguments. */
static void deduce_type(const gt_tracer *c, gt_draft_constant *constant)
{
    for (const gt_draft_argument *buffer = NULL;
         !constant->type[0] && (buffer = gt_draft_next_buffer(c->draft, buffer));) {
        if (strcmp(buffer->declared.words, constant->name) == 0) {
            find_pointer_type(constant->type, c, buffer);
        }
    }
}

/* Parameters of a type that the launch gives may be sizes. */
static void note_integers(gt_draft *draft, const gt_draft_constant *type)
{
    gt_element element;
    bool is_integer = gt_element_from_name(&element, type->type) &&
                      !gt_type_is_float(element.type) && element.lanes == 1;
    for (uint32_t i = 0; i < draft->argument_count && is_integer; i++) {
        const gt_function_parameter *parameter = &draft->arguments[i].declared;
        const int symbol = gt_draft_find_symbol(draft, parameter->name);
        if (symbol > 0 && strcmp(parameter->words, type->name) == 0) {
            draft->symbols.items[symbol].is_integer = true;
        }
    }
}

static void read_template(gt_tracer *c)
{
    size_t index = 0;
    for (size_t i = 0; i < c->draft->constants.count; i++) {
        gt_draft_constant *constant = &c->draft->constants.items[i];
        gt_closure item = {.site = c->site};
        int64_t value;
        if (!constant->is_template_parameter) {
            continue;
        }
        bool given = gt_program_item_at(c->program, &item.span, c->launch.types, index++);
        if (constant->is_type) {
            bool known = given && gt_trace_type(constant->type, c->program, item) > 0;
            if (!known) {
                constant->type[0] = '\0';
            }
            if (!given) {
                deduce_type(c, constant);
            }
            note_integers(c->draft, constant);
        } else if (given && number_of(&value, c, &item)) {
            constant->value = (double)value;
            constant->has_value = true;
        }
    }
}

/* The parameter of the kernel's template that is its block in dimension d; NULL: none. */
static const gt_draft_constant *fixed_parameter(const gt_tracer *c, int d)
{
    const gt_draft_constant *own = gt_draft_fixed_constant(c->draft, d);
    return own && own->is_template_parameter && own->has_value ? own : NULL;
}

/* Whether the launch gives a template's parameter, which is the block in the code, another number
 * than its block: `if (n == 16) k<16><<<grid, block>>>()`, which the program does not come to. */
static bool is_impossible(gt_tracer *c)
{
    bool is = false;
    for (int d = 0; d < 3 && !is; d++) {
        const gt_draft_constant *own = fixed_parameter(c, d);
        gt_closure block;
        int64_t threads;
        is = own && gt_call_configured(c, &block, 1, d) && number_of(&threads, c, &block) &&
             own->value != (double)threads;
    }
    return is;
}

/* The launch with the most buffers whose allocation the program states, of those that are possible;
 * the first, if none is. */
static bool choose_launch(gt_tracer *c)
{
    gt_call_launch best = {0};
    size_t most = 0;
    for (size_t from = 0; find_launch(c, from); from = c->launch.arguments.end) {
        read_template(c);
        const size_t known = is_impossible(c) ? 1 : 2 + gt_call_count_allocations(c);
        best = known > most ? c->launch : best;
        most = known > most ? known : most;
    }
    if (most > 0) {
        c->launch = best;
        c->site = gt_program_site(c->program, best.at);
        read_template(c);
    }
    return most > 0;
}

/* ---- what is named like the kernel's own ----------------------------------------------------- */

static void alias(gt_tracer *c, const size_t *identities, size_t count, size_t leaf, int dimension)
{
    for (size_t i = 0; i < count && c->alias_count < GT_TRACE_ALIASES; i++) {
        c->aliases[c->alias_count].identity = identities[i];
        c->aliases[c->alias_count].leaf = leaf;
        c->aliases[c->alias_count++].dimension = dimension;
    }
}

/* Whether one of the chain is a macro that device code reads as well; its name's token in *macro.
 */
static bool is_on_device(size_t *macro, const gt_tracer *c, const size_t *identities, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (identities[i] >= c->program->code &&
            gt_program_on_device(c->program, gt_token_at(c->program, identities[i]))) {
            *macro = identities[i];
            return true;
        }
    }
    return false;
}

/* A variable that is handed to the kernel is called like the kernel's parameter. */
static void bind_parameter(gt_tracer *c, const gt_draft_argument *argument)
{
    const gt_function_parameter *parameter = &argument->declared;
    size_t identities[GT_TRACE_CHAIN], macro;
    gt_closure given;
    int symbol = gt_draft_find_symbol(c->draft, parameter->name);
    if (parameter->pointer || symbol < 0 || !c->draft->symbols.items[symbol].is_integer) {
        return;
    }
    if (!c->draft->is_called) {
        (void)gt_trace_add(c, parameter->name, 0, argument);
        return;
    }
    if (!gt_call_argument(c, &given, argument)) {
        return;
    }
    const size_t count = gt_trace_chain(identities, c, &given), leaves = c->leaf_count;
    const int uses = c->leaf_uses;
    int64_t value = 0;
    if (count == 0 || is_on_device(&macro, c, identities, count)) {
        return;
    }
    GT_FREED gt_expression *expression = gt_trace(c, "", &given, "");
    bool known = expression && gt_trace_value(&value, c, expression);
    bool is_derived = expression && !gt_program_is_name(c->program, given.span) &&
                      c->leaf_uses > uses && gt_trace_origin(c, given.span) < 0;
    c->leaf_count = leaves;
    for (size_t i = 0; i < c->alias_count; i++) { /* another parameter has it, too */
        is_derived |= c->aliases[i].identity == identities[0];
    }
    if (!is_derived) {
        const size_t leaf = gt_trace_add(c, parameter->name, identities[0], argument);
        c->leaves[leaf].origin = given.span;
        c->leaves[leaf].has_value = known;
        c->leaves[leaf].value = value;
        alias(c, identities, count, leaf, -1);
    }
}

/* A dimension whose block the host gives the same variable as another's has that one's name. */
static void share_axis(gt_tracer *c, int d, size_t identity)
{
    for (size_t i = 0; i < c->alias_count; i++) {
        const int other = c->aliases[i].dimension;
        if (c->aliases[i].identity == identity && other >= 0 && other < d) {
            memcpy(c->draft->axes[d], c->draft->axes[other], sizeof c->draft->axes[d]);
        }
    }
}

static void bind_block(gt_tracer *c, int d)
{
    gt_draft_dimension *dimension = &c->draft->dimensions[d];
    size_t identities[GT_TRACE_CHAIN], macro;
    gt_closure block = {.span = {0, 0}};
    double number;
    int64_t value = 1;
    const bool told = gt_call_configured(c, &block, 1, d);
    const gt_span first = block.span;
    const size_t count = told ? gt_trace_chain(identities, c, &block) : 0;
    const bool known = told ? number_of(&value, c, &block) : c->draft->is_called;
    c->call->threads[d] = known && value > 0 && value <= 1024 ? value : 0;
    if (dimension->has_threads && !c->draft->is_pinned && !gt_draft_fixed_name(c->draft, d) &&
        is_on_device(&macro, c, identities, count)) {
        dimension->fixed = gt_draft_constant_sum(c->draft, GT_NAME(c->program, macro));
        gt_token_name(c->draft->axes[d], gt_token_at(c->program, macro));
    }
    const gt_draft_constant *own = gt_draft_fixed_constant(c->draft, d);
    if (own && own->has_value && c->call->threads[d] && own->value != (double)value) {
        dimension->fixed = gt_sum_number((double)value); /* it is another size */
    }
    const char *name = gt_draft_fixed_name(c->draft, d);
    bool is_number = gt_sum_is_number(&dimension->fixed, &number) || c->is_pinned ||
                     (dimension->fixed.known && !name) || !dimension->has_threads;
    if (is_number && c->call->threads[d]) {
        dimension->fixed = gt_sum_number((double)value);
    }
    if (!name && !is_number && count) {
        share_axis(c, d, identities[0]);
    }
    if (d == 0 && told && !dimension->has_threads && (!known || value > 1)) {
        dimension->has_threads = true; /* the code asks for its thread by other names */
        dimension->fixed = (gt_sum){0};
        is_number = c->is_pinned;
    }
    if (!dimension->has_threads) {
        return;
    }
    name = name ? name : c->draft->axes[d];
    const int slot = gt_trace_slot(c, name);
    const size_t leaf = slot >= 0 ? (size_t)slot : gt_trace_add(c, name, 0, NULL);
    c->leaves[leaf].is_axis = !is_number;
    c->leaves[leaf].is_number = is_number;
    if (!c->call->threads[d] && is_number && gt_sum_is_number(&dimension->fixed, &number)) {
        value = (int64_t)number; /* the kernel says it, and the program nothing */
    }
    c->leaves[leaf].has_value = c->call->threads[d] > 0 || (is_number && value > 1);
    c->leaves[leaf].value = value;
    c->blocks[d].value = told ? first : (gt_span){0, 0};
    c->blocks[d].leaf = leaf;
    c->blocks[d].literal = told && count == 0 && !is_number ? c->call->threads[d] : 0;
    alias(c, identities, count, leaf, d);
}

/* ---- elements of each thread ---- */

/* Whether a loop of the kernel counts up to the constant. */
static bool is_loops_end(const gt_draft *draft, const char *name)
{
    bool is = false;
    for (size_t i = 0; i < draft->guards.count && !is; i++) {
        const gt_draft_guard *guard = &draft->guards.items[i];
        const gt_draft_symbol *loop = gt_draft_loop(draft, &guard->left);
        int bound;
        double step;
        is = loop && gt_sum_is_number(&loop->step, &step) && step <= 1 &&
             gt_sum_is_symbol(&guard->bound, &bound) &&
             strcmp(gt_draft_symbol_at(draft, bound)->name, name) == 0;
    }
    return is;
}

/* What may be the number of elements of each thread. */
static void find_items(gt_draft *draft)
{
    enum { ITEMS_MOST = 64 };
    for (size_t i = 0; i < draft->constants.count; i++) {
        gt_draft_constant *constant = &draft->constants.items[i];
        constant->is_items = constant->has_value && constant->value > 1 &&
                             constant->value <= ITEMS_MOST && !constant->is_template_parameter &&
                             !constant->is_enumerator && !constant->is_undefined &&
                             !gt_draft_is_block(draft, constant->name) &&
                             is_loops_end(draft, constant->name);
    }
}

static void bind_items(gt_tracer *c, const gt_draft_constant *constant)
{
    gt_found found = {0};
    const gt_token name = gt_token_of(constant->name);
    const size_t at = gt_program_named(c->program, (gt_span){1, c->program->code}, &name);
    if (gt_program_find(&found, c->program, &(gt_site){.at = c->program->code}, at)) {
        const size_t leaf = gt_trace_add(c, constant->name, found.identity, NULL);
        c->leaves[leaf].is_axis = c->leaves[leaf].has_value = true;
        c->leaves[leaf].value = (int64_t)constant->value;
        alias(c, &found.identity, 1, leaf, -1);
    }
}

/* Whether the grid is a size divided by the name. */
static bool divides_grid(const gt_tracer *c, const char *name)
{
    bool divides = false;
    for (uint32_t d = 0; d < c->call->grid_dimensions; d++) {
        const char *grid = c->call->grid[d];
        const char *by =
            strncmp(grid, "ceil_div(", 9) == 0 ? strrchr(grid, ',') : strstr(grid, " / ");
        divides |= by && gt_draft_occurs(by, strlen(by), name) &&
                   !gt_draft_occurs(grid, (size_t)(by - grid), name);
    }
    return divides;
}

/* Keeps those that the launch follows; false: there are others, and all must be read again. */
static bool keep_items(gt_tracer *c)
{
    bool all = true;
    for (size_t i = 0; i < c->draft->constants.count; i++) {
        gt_draft_constant *constant = &c->draft->constants.items[i];
        const int leaf = constant->is_items ? gt_trace_slot(c, constant->name) : -1;
        const bool is = leaf >= 0 && !c->leaves[leaf].in_data && !c->is_pinned &&
                        divides_grid(c, constant->name);
        all &= is == constant->is_items;
        constant->is_items = is;
    }
    return all;
}

/* Names what the launch gives, and reads its values with these names. */
static void read_all(gt_tracer *c)
{
    c->leaf_count = c->alias_count = 0;
    for (uint32_t i = 0; i < c->draft->argument_count; i++) {
        bind_parameter(c, &c->draft->arguments[i]);
    }
    for (int d = 0; d < 3; d++) {
        bind_block(c, d);
    }
    for (size_t i = 0; i < c->draft->constants.count; i++) {
        if (c->draft->constants.items[i].is_items) {
            bind_items(c, &c->draft->constants.items[i]);
        }
    }
    gt_call_read_values(c);
}

/* A block that must stay one, and that the program does not say, is chosen. */
static void pin_unknown(gt_tracer *c)
{
    bool unknown = false;
    for (int d = 0; d < 3; d++) {
        unknown |= c->draft->dimensions[d].has_threads && !c->call->threads[d];
    }
    if (unknown) {
        gt_draft_pin(c->draft);
    }
}

/* ---- what must divide ------------------------------------------------------------------------ */

void gt_call_require(gt_tracer *c, const char *condition)
{
    gt_texts *all = &c->call->divided;
    const bool is_new = gt_index_of(condition, all->items, all->count) == all->count;
    c->draft->failed |= is_new && gt_texts_add(all, condition, strlen(condition)) != GPUTUNE_OK;
}

/* `by` must divide `size`. */
static void divide(gt_tracer *c, const gt_sum *size, const gt_sum *by)
{
    const bool is_product = by->terms[0].count + (by->terms[0].coefficient > 1) > 1;
    const char *whole = gt_draft_sum_text(c->draft, size);
    whole = gt_draft_print(c->draft, size->count > 1 ? "(%s)" : "%s", whole);
    gt_call_require(c, gt_draft_print(c->draft, is_product ? "%s %% (%s) == 0" : "%s %% %s == 0",
                                      whole, gt_draft_sum_text(c->draft, by)));
}

/* A tile that a loop walks by steps of the block has a whole number of them. */
static void divide_walked(gt_tracer *c, const gt_draft_dimension *dimension)
{
    double number;
    if (!dimension->walker || gt_sum_is_number(&dimension->fixed, &number)) {
        return;
    }
    for (size_t i = 0; i < c->draft->guards.count; i++) {
        const gt_draft_guard *guard = &c->draft->guards.items[i];
        int symbol;
        if (gt_sum_is_symbol(&guard->left, &symbol) && symbol == dimension->walker &&
            guard->bound.known && guard->bound.count > 0) {
            divide(c, &guard->bound, &dimension->fixed);
        }
    }
}

/* Splits a bound of the form `size / by`; false: the sum is no quotient of a size. */
static bool split_quotient(const gt_draft *draft, const gt_sum *sum, gt_sum *size, gt_sum *by)
{
    const double coefficient = sum->terms[0].coefficient;
    bool whole = sum->known && sum->count == 1;
    double number;
    *size = gt_sum_number(coefficient < 1 ? 1 : coefficient);
    *by = gt_sum_number(coefficient < 1 ? 1 / coefficient : 1);
    for (uint32_t k = 0; whole && k < sum->terms[0].count; k++) {
        const gt_power *power = &sum->terms[0].powers[k];
        const gt_draft_kind kind = gt_draft_symbol_at(draft, power->symbol)->kind;
        gt_sum *side = power->exponent > 0 ? size : by;
        whole = kind & (GT_DRAFT_PARAMETER | GT_DRAFT_CONSTANT);
        *side = gt_sum_multiply(*side, gt_sum_symbol(power->symbol));
    }
    *size = gt_draft_with_numbers(draft, *size, false);
    return whole && !gt_sum_is_number(size, &number) &&
           !(gt_sum_is_number(by, &number) && number <= 1);
}

/* Whether a multiple of so many lanes must divide the size, as where blocks of vectors do. */
static bool divides_in_blocks(const gt_tracer *c, const char *size, double lanes)
{
    const char *begin = gt_draft_print(c->draft, "%s %% (%.0f * ", size, lanes);
    size_t i = 0;
    while (i < c->call->divided.count &&
           strncmp(c->call->divided.items[i], begin, strlen(begin)) != 0) {
        i++;
    }
    return i < c->call->divided.count;
}

/* What is read or written as vectors is a whole number of them, unless one of its extents is. */
static void divide_lanes(gt_tracer *c, const gt_draft_argument *buffer)
{
    const gt_texts *all = &c->call->divided;
    const gt_sum lanes = gt_sum_number(buffer->lanes);
    const gt_product *product = &buffer->length.terms[0];
    const char *length = buffer->allocated;
    bool has = c->call->grid_dimensions || !buffer->length.known || product->count == 0;
    for (uint32_t i = 0; i < product->count && !has; i++) {
        const char *condition =
            gt_draft_print(c->draft, "%s %% %.0f == 0",
                           gt_draft_name_of(c->draft, product->powers[i].symbol), buffer->lanes);
        has = gt_index_of(condition, all->items, all->count) < all->count;
    }
    if (divides_in_blocks(c, length, buffer->lanes)) {
        return;
    }
    if (strspn(length, "0123456789") < strlen(length)) {
        gt_call_require(
            c, gt_draft_print(c->draft,
                              strpbrk(length, " ,") ? "(%s) %% %.0f == 0" : "%s %% %.0f == 0",
                              length, buffer->lanes));
    } else if (!has) {
        divide(c, &buffer->length, &lanes);
    }
}

/* A block where no comparison leaves the rest out, or has all its elements whatever is compared;
 * and what a bound is divided by. */
void gt_call_divide(gt_tracer *c)
{
    const bool is_told = c->call->grid_dimensions > 0;
    for (int d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &c->draft->dimensions[d];
        double step;
        if (((dimension->is_guessed && !is_told) || dimension->is_unbounded) &&
            !(gt_sum_is_number(&dimension->step, &step) && step <= 1)) {
            divide(c, &dimension->size, &dimension->step);
        }
        divide_walked(c, dimension);
    }
    for (size_t i = 0; i < c->draft->guards.count && !is_told; i++) {
        gt_sum size, by;
        const bool is_quotient =
            split_quotient(c->draft, &c->draft->guards.items[i].bound, &size, &by);
        const int own = is_quotient ? gt_draft_first_of(c->draft, &size, GT_DRAFT_PARAMETER) : -1;
        const int leaf = own < 0 ? -1 : gt_trace_slot(c, gt_draft_name_of(c->draft, own));
        if (is_quotient && (own < 0 || (leaf >= 0 && c->leaves[leaf].in_length))) {
            divide(c, &size, &by);
        }
    }
    for (const gt_draft_argument *own = NULL; (own = gt_draft_next_buffer(c->draft, own));) {
        if (own->lanes > 1) {
            divide_lanes(c, own);
        }
    }
}

/* ---- where the program says nothing ---------------------------------------------------------- */

/* Whether no comparison in the kernel says how far dimension d goes, and no parameter. */
static bool is_unnamed(const gt_tracer *c, int d)
{
    int size;
    return gt_sum_is_symbol(&c->draft->dimensions[d].size, &size) &&
           gt_draft_symbol_at(c->draft, size)->kind == GT_DRAFT_SIZE;
}

/* What a dimension of the grid and its blocks make up, where no comparison in the kernel says it.
 */
static void read_extent(gt_tracer *c, int d)
{
    static const char rounded[] = "ceil_div(";
    const size_t before = sizeof rounded - 1;
    const char *grid = c->call->grid[d], *slash = strstr(grid, " / ");
    const char *comma = strrchr(grid, ',');
    double step;
    GT_SCOPED(gt_text_free) gt_text all = {0};
    GT_SCOPED(gt_text_free) gt_text plain = {0};
    if (strncmp(grid, rounded, before) == 0 && comma && !strpbrk(comma, "+-/")) {
        gt_text_printf(&all, "(%.*s)", (int)(comma - grid - before), grid + before);
    } else if (slash && !strpbrk(grid, "+-?")) {
        gt_text_printf(&all, "(%.*s)", (int)(slash - grid), grid);
    } else if (gt_sum_is_number(&c->draft->dimensions[d].step, &step) && step <= 1) {
        gt_text_printf(&all, "(%s)", grid);
    } else if (c->call->grid_dimensions == 0 && c->call->threads[d] > 0 && is_unnamed(c, d)) {
        gt_text_printf(&all, "(%s) * %lld", grid, (long long)c->call->threads[d]);
    }
    GT_FREED gt_expression *expression = gt_trace_read(c, gt_text_string(&all));
    if (expression && !gt_trace_has_axis(c, expression)) {
        gt_trace_mark(c, expression, false, true);
        (void)gt_expression_print(&plain, NULL, expression, c->names);
    }
    const bool is_name = !strpbrk(gt_text_string(&plain), " /*+-%");
    c->call->extent[d] = gt_draft_print(c->draft, is_name ? "%s" : "(%s)", gt_text_string(&plain));
}

/* The text that stands for a size that the kernel does not name; "": it has a name of its own. */
const char *gt_call_extent(const gt_draft *draft, int symbol)
{
    for (int d = 0; d < 3; d++) {
        int size;
        if (gt_sum_is_symbol(&draft->dimensions[d].size, &size) && size == symbol) {
            return draft->call.extent[d];
        }
    }
    return "";
}

static const char *last_part(const char *name)
{
    return strchr(name, '.') ? strchr(name, '.') + 1 : name;
}

/* What the kernel's body says where the program does not: its parameters are sizes then. */
static void note_symbol(gt_tracer *c, const gt_draft_symbol *symbol)
{
    const char *name = last_part(symbol->name);
    const gt_draft_argument *parameter = gt_draft_argument_of(c->draft, name);
    const int found = gt_trace_slot(c, name);
    size_t leaf = (size_t)found;
    gt_closure argument;
    int64_t value = 0;
    if (found < 0) {
        bool given = parameter && gt_call_argument(c, &argument, parameter);
        bool known = given && number_of(&value, c, &argument);
        GT_FREED gt_expression *made = given && !known ? gt_trace(c, "", &argument, "") : NULL;
        if (made) {
            gt_trace_mark(c, made, false, true);
            return; /* its value stands for it */
        }
        leaf = gt_trace_add(c, name, 0, parameter);
        c->leaves[leaf].has_value = known;
        c->leaves[leaf].value = value;
    }
    gt_trace_leaf *own = &c->leaves[leaf];
    own->in_length = own->in_grid = true;
    if (own->is_number && own->value <= 0) { /* as a variable begins */
        own->is_number = own->has_value = false;
    }
}

static void note_sum(gt_tracer *c, const gt_sum *sum)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_sum_next(sum, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(c->draft, power->symbol);
        if (symbol->kind == GT_DRAFT_PARAMETER ||
            (symbol->kind == GT_DRAFT_SIZE && !gt_call_extent(c->draft, power->symbol)[0])) {
            note_symbol(c, symbol);
        }
    }
}

double gt_call_value(const void *user, int symbol)
{
    const gt_tracer *c = user;
    const gt_draft_symbol *own = gt_draft_symbol_at(c->draft, symbol);
    const int leaf = gt_trace_slot((void *)c, last_part(own->name));
    return leaf >= 0 ? (double)gt_call_leaf_value(c, (size_t)leaf)
           : own->kind & (GT_DRAFT_PARAMETER | GT_DRAFT_SIZE) ? (double)c->chosen
                                                              : 16;
}

static void note_fallbacks(gt_tracer *c)
{
    gt_draft *draft = c->draft;
    for (int d = 0; d < 3; d++) {
        read_extent(c, d);
    }
    for (uint32_t i = 0; i < draft->argument_count && gt_draft_has_moved(draft); i++) {
        const gt_function_parameter *parameter = &draft->arguments[i].declared;
        const int symbol = parameter->pointer ? -1 : gt_draft_find_symbol(draft, parameter->name);
        if (!draft->is_called && symbol >= 0 && draft->symbols.items[symbol].is_integer) {
            note_symbol(c, &draft->symbols.items[symbol]); /* nothing says which are sizes */
        }
    }
    for (size_t i = 0; i < draft->shared.count && !draft->is_called; i++) {
        note_sum(c, &draft->shared.items[i].length);
    }
    for (const gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
        if (buffer->allocated[0]) {
            continue;
        }
        note_sum(c, &buffer->length);
        for (int d = 0; d < 3 && !buffer->length.known; d++) {
            note_sum(c, &draft->dimensions[d].size);
        }
    }
    for (int d = 0; d < 3 && c->call->grid_dimensions == 0; d++) {
        note_sum(c, &draft->dimensions[d].size);
        note_sum(c, &draft->dimensions[d].step);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void gt_call_read(gt_draft *draft, bool launches)
{
    gt_tracer *c = calloc(1, sizeof *c);
    draft->failed |= !c;
    if (!c) {
        return;
    }
    c->draft = draft;
    c->call = &draft->call;
    c->program = draft->program;
    draft->is_called = launches && choose_launch(c);
    find_items(draft);
    read_all(c);
    if (!keep_items(c)) {
        c->is_pinned = false;
        read_all(c);
    }
    if (c->is_pinned) {
        pin_unknown(c);
        read_all(c);
    }
    note_fallbacks(c);
    gt_call_settle_leaves(c);
    gt_call_read_values(c);
    note_fallbacks(c);
    gt_call_write(c);
    draft->failed |= c->text.failed;
    gt_text_free(&c->text);
    free(c);
}

bool gt_call_is_launched(const gt_draft *draft)
{
    gt_tracer c = {.draft = (gt_draft *)draft, .program = draft->program};
    return find_launch(&c, 0);
}
