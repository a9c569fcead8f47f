/* Interprets statements: conditions and the facts that they imply, branches, and loops. */
#include "draft/parts.h"

#include <string.h>

/* ---- conditions ------------------------------------------------------------------------------ */

/* Notes that lhs <= most, after moving numbers from lhs to the other side. Comparisons of values
 * that the launch fixes are left out, because they limit no index. */
static void push_fact(draft_amount *lhs, draft_amount *most)
{
    const unsigned varying = DRAFT_KIND(DRAFT_THREAD) | DRAFT_KIND(DRAFT_BLOCK_INDEX) |
                             DRAFT_KIND(DRAFT_COUNTER) | DRAFT_KIND(DRAFT_CHANGING) |
                             DRAFT_KIND(DRAFT_LOADED);
    if (!draft_is_known(most) || !(lhs->kinds & varying)) {
        return;
    }
    for (unsigned i = 0; lhs->kind == DRAFT_SUM && i < lhs->count; i++) {
        if (!lhs->terms[i].count) {
            int64_t number = lhs->terms[i].factor;
            most = draft_plus(most, draft_number(number), -1);
            lhs = draft_plus(lhs, draft_number(number), -1);
            break;
        }
    }
    if (lhs->kind == DRAFT_SUM && lhs->count == 1 && lhs->terms[0].factor > 1) {
        draft_amount *factor = draft_number(lhs->terms[0].factor);
        most = draft_make(DRAFT_QUOTIENT, most, factor, NULL);
        lhs = draft_make(DRAFT_QUOTIENT, lhs, factor, NULL);
    }
    draft_fact fact = {lhs, most};
    if (draft_is_known(most) && draft_is_known(lhs)) {
        draft_add(&draft_now.facts, fact);
        draft_add(&draft_now.out->guards, fact);
    }
}

static void assume_comparison(int operation, draft_amount *a, draft_amount *b, bool holds)
{
    bool is_less = operation == CX_LT || operation == CX_LE;
    if (operation == CX_EQ || operation == CX_NE) {
        if ((operation == CX_EQ) == holds) {
            push_fact(a, b);
            push_fact(b, a);
        }
        return;
    }
    draft_amount *small = is_less == holds ? a : b, *large = is_less == holds ? b : a;
    bool strict = (operation == CX_LT || operation == CX_GT) == holds;
    push_fact(small, strict ? draft_plus(large, draft_number(1), -1) : large);
}

draft_amount *draft_quietly(draft_node *node)
{
    draft_now.quiet++;
    draft_amount *value = draft_eval(node);
    draft_now.quiet--;
    return value;
}

void draft_assume(draft_node *node, bool holds)
{
    if (draft_on_host()) {
        return;
    }
    if (node->kind == CX_UNARY && node->operation == CX_LOGICAL_NOT) {
        draft_assume(node->children[0], !holds);
    } else if (node->kind == CX_BINARY && node->count == 2) {
        int op = node->operation;
        if ((op == CX_LOGICAL_AND && holds) || (op == CX_LOGICAL_OR && !holds)) {
            draft_assume(node->children[0], holds);
            draft_assume(node->children[1], holds);
        } else if (op >= CX_LT && op <= CX_NE) {
            assume_comparison(op, draft_quietly(node->children[0]),
                              draft_quietly(node->children[1]), holds);
        }
    } else if (node->kind == CX_DECL_REF && node->decl && node->decl->at.kind == CX_VAR) {
        draft_node *made = draft_initialiser_of(node->decl); /* bool inside = i < n && j < m; */
        if (made && draft_type_of(node->decl).kind == CX_TYPE_BOOL) {
            draft_assume(made, holds);
        }
    }
}

bool draft_is_unsure(draft_amount *condition)
{
    return !draft_is_known(condition) ||
           (condition->kinds & (DRAFT_KIND(DRAFT_LOADED) | DRAFT_KIND(DRAFT_CHANGING)));
}

/* ---- what code assigns ----------------------------------------------------------------------- */

draft_decl *draft_base_variable(draft_node *node)
{
    while (node->kind == CX_MEMBER_REF || node->kind == CX_SUBSCRIPT) {
        if (!node->count || node->children[0]->type.kind == CX_TYPE_POINTER) {
            return NULL; /* memory that a pointer points to is not part of a variable */
        }
        node = node->children[0];
    }
    return node->kind == CX_DECL_REF && node->decl &&
                   (node->decl->at.kind == CX_VAR || node->decl->at.kind == CX_PARM)
               ? node->decl
               : NULL;
}

static bool is_change(const draft_node *node)
{
    return (node->kind == CX_BINARY && node->operation == CX_ASSIGN) ||
           node->kind == CX_COMPOUND_ASSIGN ||
           (node->kind == CX_UNARY && node->operation <= CX_PRE_DEC && node->operation > 0);
}

/* Number of times that a loop's code changes a variable, and the last expression that does; NULL: a
 * call changes it. */
typedef struct change {
    draft_decl *decl;
    draft_node *by;
    unsigned count;
} change;
typedef GT_ARRAY(change) changes;

static void add_change(changes *out, draft_decl *decl, draft_node *by)
{
    change made = {decl, by, 1};
    for (size_t i = 0; decl && i < out->count; i++) {
        if (out->items[i].decl == decl) {
            out->items[i].by = by;
            out->items[i].count++;
            return;
        }
    }
    if (decl) {
        draft_add(out, made);
    }
}

static void find_changes(changes *out, draft_node *node)
{
    if (is_change(node) && node->count) {
        add_change(out, draft_base_variable(node->children[0]), node);
    }
    draft_node *body = node->kind == CX_CALL && node->decl ? draft_body_of(node->decl) : NULL;
    for (unsigned i = 0; i < node->count; i++) {
        draft_node *child = node->children[i];
        if (node->kind == CX_CALL && child->kind == CX_UNARY && child->operation == CX_ADDRESS) {
            add_change(out, draft_base_variable(child->children[0]), NULL);
        } else if (body && i < node->decl->parameters.count &&
                   draft_type_of(node->decl->parameters.items[i]).kind == CX_TYPE_LVALUE) {
            add_change(out, draft_base_variable(child), NULL);
        }
        find_changes(out, child);
    }
}

int draft_compound_operation(const draft_node *node)
{
    int op = node->operation - CX_MUL_ASSIGN + CX_MUL;
    return op > CX_SHR ? op + CX_AND - CX_SHR - 1 : op;
}

draft_amount *draft_either(const char *name, draft_amount *condition, draft_amount *a,
                           draft_amount *b)
{
    if (a == b) {
        return a;
    }
    if (a->kind == DRAFT_POINTER && b->kind == DRAFT_POINTER) {
        draft_spot both = b->place;
        for (const draft_spot *s = &a->place; s; s = s->other) {
            if (s->buffer != b->place.buffer || s->offset != b->place.offset) {
                draft_spot *rest = draft_new(sizeof *rest);
                *rest = both;
                both = *s;
                both.other = rest;
            }
        }
        return draft_pointer(both);
    }
    if (a->kind == DRAFT_POINTER || b->kind == DRAFT_POINTER) {
        return a->kind == DRAFT_POINTER ? a : b; /* the other value is a null pointer */
    }
    if (draft_is_known(a) && draft_is_known(b) && a->kind != DRAFT_TEXT && b->kind != DRAFT_TEXT) {
        condition = draft_is_known(condition) ? condition : draft_changing(name);
        return draft_make(DRAFT_COND, condition, a, b);
    }
    bool is_number = a->kind != DRAFT_OBJECT && b->kind != DRAFT_OBJECT && a->kind != DRAFT_TEXT &&
                     b->kind != DRAFT_TEXT;
    return draft_on_host() ? draft_unknown(DRAFT_UNDECIDED)
           : is_number     ? draft_changing(name)
                           : draft_nothing();
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct loop {
    draft_node *at, *condition, *step, *body;
} loop;

/* Returns how far a change moves a variable (-1 for any decrease); NULL if it is not a step. */
static draft_amount *step_of(draft_node *change)
{
    if (change->kind == CX_UNARY) {
        return draft_number(
            change->operation == CX_POST_INC || change->operation == CX_PRE_INC ? 1 : -1);
    }
    if (change->kind == CX_COMPOUND_ASSIGN) {
        draft_amount *by = draft_quietly(change->children[1]);
        int op = draft_compound_operation(change);
        return op == CX_ADD                   ? by
               : op == CX_SUB                 ? draft_times(draft_number(-1), by)
               : op == CX_SHR || op == CX_DIV ? draft_number(-1)
                                              : NULL;
    }
    return NULL;
}

static bool is_direct_child(const draft_node *body, const draft_node *change)
{
    for (unsigned i = 0; i < body->count; i++) {
        if (body->children[i] == change) {
            return true;
        }
    }
    return body == change;
}

/* Sets the end of a counter from the loop's condition. */
static void find_end(draft_symbol *counter, draft_node *condition)
{
    if (!condition || condition->kind != CX_BINARY || condition->count != 2) {
        return;
    }
    if (condition->operation == CX_LOGICAL_AND) {
        find_end(counter, condition->children[0]);
        find_end(counter, condition->children[1]);
        return;
    }
    draft_amount *a = draft_quietly(condition->children[0]),
                 *b = draft_quietly(condition->children[1]);
    if (a->kind == DRAFT_SYMBOL && a->symbol == counter && draft_is_known(b)) {
        counter->end = condition->operation == CX_LT || condition->operation == CX_NE ? b
                       : condition->operation == CX_LE ? draft_plus(b, draft_number(1), 1)
                                                       : counter->end;
    }
}

static draft_symbol *loaded_symbol(draft_amount *value)
{
    return value->kind == DRAFT_SYMBOL && value->symbol->kind == DRAFT_LOADED &&
                   value->symbol->buffer
               ? value->symbol
               : NULL;
}

/* Recognises for (j = rows[i]; j < rows[i + 1]; …), and notes that the elements of `rows` rise. */
static void note_rows(draft_symbol *counter)
{
    draft_symbol *end =
        counter->end && draft_is_known(counter->end) ? loaded_symbol(counter->end) : NULL;
    int64_t distance;
    for (size_t i = 0; end && i < draft_now.out->loaded.count; i++) {
        draft_symbol *begin = draft_now.out->loaded.items[i];
        if (begin->buffer == end->buffer && draft_has_symbol(counter->first, begin) &&
            draft_is_number(draft_plus(end->index, begin->index, -1), &distance) &&
            distance == cx.Type_getSizeOf(end->buffer->type)) {
            draft_amount *k = draft_symbol_value(counter);
            end->buffer->is_rising = true;
            counter->end = draft_bound(counter->end, true, &(draft_facts){0});
            draft_fact fact = {k, draft_plus(counter->end, draft_number(1), -1)};
            draft_add(&draft_now.facts, fact);
        }
    }
}

/* Returns first + rounds * step, the value of a variable that moves together with the counter by
 * equal steps. */
static draft_amount *advanced(draft_amount *first, draft_amount *by, draft_symbol *counter,
                              int64_t bytes)
{
    draft_amount *k = draft_symbol_value(counter);
    draft_amount *rounds =
        draft_make(DRAFT_QUOTIENT, draft_plus(k, counter->first, -1), counter->step, NULL);
    draft_amount *distance = draft_times(draft_times(rounds, by), draft_number(bytes));
    if (first->kind == DRAFT_POINTER) {
        return draft_pointer(draft_moved(&first->place, distance));
    }
    return draft_plus(first, distance, 1);
}

static draft_amount *unknown_now(draft_decl *decl, draft_amount *before)
{
    if (before && before->kind == DRAFT_POINTER) {
        return draft_pointer(draft_moved(&before->place, draft_changing(decl->name)));
    }
    return draft_is_integer(draft_type_of(decl)) ? draft_changing(decl->name) : draft_nothing();
}

static draft_amount *held(draft_decl *decl)
{
    draft_spot spot = {.variable = decl, .path = ""};
    return draft_read_variable(&spot, draft_type_of(decl));
}

/* Returns the change of a variable if each round changes it exactly once; else NULL. */
static draft_node *only_change(const change *c, const loop *l)
{
    bool once = c->count == 1 && c->by &&
                (is_direct_child(l->body, c->by) || (l->step && is_direct_child(l->step, c->by)));
    return once ? c->by : NULL;
}

/* Makes the variable a counter if it is an integer that each round changes by one constant step;
 * else NULL. */
static draft_symbol *make_counter(const change *changed, const loop *l)
{
    draft_decl *decl = changed->decl;
    draft_node *change = only_change(changed, l);
    draft_amount *first = held(decl), *step = change ? step_of(change) : NULL;
    if (!change || !draft_is_known(first) || (step && !draft_is_known(step))) {
        return NULL;
    }
    draft_symbol *counter = draft_new_symbol(DRAFT_COUNTER, decl->name);
    counter->first = first;
    counter->step = step ? step : draft_number(0);
    draft_now.out->strides_grid |= draft_has_kind(counter->step, DRAFT_GRID_SIZE);
    draft_set_slot(decl, "", draft_symbol_value(counter));
    return counter;
}

/* Makes variables that the loop changes unknown at the beginning of a round, except counters and
 * variables that move with a counter. */
static void enter_loop(const loop *l, const changes *changed)
{
    draft_symbol *main_counter = NULL;
    draft_symbol **counters = draft_new((changed->count + 1) * sizeof *counters);
    for (size_t i = 0; i < changed->count; i++) {
        cx_type type = draft_type_of(changed->items[i].decl);
        counters[i] = draft_is_integer(type) ? make_counter(&changed->items[i], l) : NULL;
    }
    for (size_t i = 0; i < changed->count; i++) {
        if (counters[i]) {
            find_end(counters[i], l->condition);
            note_rows(counters[i]);
            main_counter = counters[i]->end || !main_counter ? counters[i] : main_counter;
        }
    }
    draft_now.out->has_loop = true;
    for (size_t i = 0; i < changed->count; i++) {
        draft_decl *d = changed->items[i].decl;
        int64_t step;
        cx_type type = draft_type_of(d);
        if (counters[i] && (counters[i]->end || !main_counter || counters[i] == main_counter)) {
            continue;
        }
        draft_amount *before = counters[i] ? counters[i]->first : held(d);
        draft_node *change = only_change(&changed->items[i], l);
        draft_amount *by = change ? step_of(change) : NULL;
        bool with = by && draft_is_known(by) && main_counter &&
                    draft_is_known(main_counter->step) && !draft_is_unsure(by) &&
                    (draft_is_known(before) || before->kind == DRAFT_POINTER) &&
                    !(draft_is_number(main_counter->step, &step) && step == 0);
        draft_set_slot(d, "",
                       with ? advanced(before, by, main_counter,
                                       type.kind == CX_TYPE_POINTER
                                           ? cx.Type_getSizeOf(draft_pointee(type))
                                           : 1)
                            : unknown_now(d, before));
    }
}

/* Marks loaded values that end a loop, because such values are small counts. */
static void note_counts(draft_amount *condition)
{
    const draft_symbols symbols = draft_symbols_of(condition);
    for (size_t i = 0; i < symbols.count; i++) {
        const draft_symbol *symbol = symbols.items[i];
        if (symbol->kind == DRAFT_LOADED && symbol->buffer && symbol->buffer->range) {
            symbol->buffer->range->is_count = true;
        }
    }
}

/* Runs one round. The values that it changes are unknown after the loop. */
static void run_host_loop(const loop *l)
{
    int64_t number;
    if (l->condition && draft_is_number(draft_eval(l->condition), &number) && !number) {
        return;
    }
    size_t outer = draft_branch_begin();
    draft_run(l->body);
    if (l->step) {
        draft_eval(l->step);
    }
    draft_state round = draft_branch_end(outer);
    for (size_t i = 0; i < round.decls.count; i++) {
        draft_decl *d = round.decls.items[i];
        for (size_t k = 0; k < round.slots[i].count; k++) {
            draft_slot *slot = &round.slots[i].items[k];
            if (slot->value->kind == DRAFT_TEXT) {
                slot->value = draft_nothing();
            } else if (draft_is_known(slot->value)) {
                const draft_amount *before = draft_value_by(&d->slots, d, slot);
                bool has = draft_evaluate(&number, before) && number > 1;
                slot->value =
                    draft_doubtful(d, slot->path, has ? &number : NULL, "is changed by a loop");
            }
        }
    }
    draft_branch_redo(&round);
}

static void run_loop(const loop *l, bool checks_first)
{
    changes changed = {0};
    const size_t facts = draft_now.facts.count;
    const unsigned outer = draft_now.unsure;
    if (draft_on_host()) {
        run_host_loop(l);
        return;
    }
    find_changes(&changed, l->body);
    if (l->step) {
        find_changes(&changed, l->step);
    }
    if (l->condition) {
        find_changes(&changed, l->condition);
    }
    enter_loop(l, &changed);
    draft_amount *condition = l->condition ? draft_eval(l->condition) : draft_nothing();
    bool unsure = l->condition && draft_is_unsure(condition);
    if (l->condition && draft_is_known(condition)) { /* loaded values that end a loop get a range */
        draft_bound(condition, true, &draft_now.facts);
        note_counts(condition);
    }
    draft_now.unsure += unsure;
    if (checks_first && l->condition) {
        draft_assume(l->condition, true);
    }
    draft_run(l->body);
    if (l->step) {
        draft_eval(l->step);
    }
    draft_now.unsure = outer;
    draft_now.facts.count = facts;
    for (size_t i = 0; i < changed.count; i++) {
        draft_decl *decl = changed.items[i].decl;
        draft_set_slot(decl, "", unknown_now(decl, held(decl)));
    }
}

/* Splits a for into its parts; libclang leaves out empty ones. */
static void run_for(draft_node *node)
{
    loop l = {.at = node, .body = node->count ? node->children[node->count - 1] : NULL};
    draft_node *first = NULL;
    for (unsigned i = 0; i + 1 < node->count; i++) {
        draft_node *part = node->children[i];
        if (part->kind == CX_DECL_STMT ||
            (is_change(part) && part->kind == CX_BINARY && !l.condition)) {
            first = part;
        } else if (!is_change(part) && !l.condition && part->operation != CX_COMMA) {
            l.condition = part;
        } else if (part->operation == CX_COMMA && !l.condition && !first) {
            first = part;
        } else {
            l.step = part;
        }
    }
    if (first) {
        draft_now.begins_loop = true;
        draft_run(first);
        draft_now.begins_loop = false;
    }
    if (l.body) {
        run_loop(&l, true);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool run_if(draft_node *node)
{
    unsigned at = 0;
    size_t facts = draft_now.facts.count;
    while (at < node->count && node->children[at]->kind >= CX_DECL_STMT) {
        draft_run(node->children[at++]);
    }
    if (at >= node->count) {
        return false;
    }
    draft_node *condition = node->children[at],
               *then = at + 1 < node->count ? node->children[at + 1] : NULL;
    draft_node *otherwise = at + 2 < node->count ? node->children[at + 2] : NULL;
    if (condition->kind == CX_VAR) { /* if (int n = …) */
        draft_declare(condition->decl);
    }
    draft_amount *value = draft_eval(condition);
    int64_t number;
    bool unsure = draft_is_unsure(value);
    if (draft_is_number(value, &number)) { /* the condition is a constant, as in if constexpr */
        draft_node *taken = number ? then : otherwise;
        return taken && draft_run(taken);
    }
    draft_now.unsure += unsure;
    draft_assume(condition, true);
    size_t outer = draft_branch_begin();
    bool then_leaves = then && draft_run(then);
    draft_state first = draft_branch_end(outer);
    draft_now.facts.count = facts;
    draft_assume(condition, false);
    outer = draft_branch_begin();
    bool else_leaves = otherwise && draft_run(otherwise);
    draft_state second = draft_branch_end(outer);
    draft_now.unsure -= unsure;
    draft_now.unsure +=
        unsure && then_leaves != else_leaves; /* some threads may have left the function here */
    if (then_leaves && !else_leaves) {
        draft_branch_redo(&second);
        return false; /* the assumption holds up to the end of the block */
    }
    draft_now.facts.count = facts;
    if (else_leaves && !then_leaves) {
        draft_branch_redo(&first);
        draft_assume(condition, true);
        return false;
    }
    draft_branch_merge(&first, &second, value);
    return then_leaves && else_leaves;
}

static bool is_label(const draft_node *node)
{
    return node->kind == CX_CASE || node->kind == CX_DEFAULT;
}

/* Returns the condition under which a switch jumps to this label or to a label directly after it;
 * NULL if one of them is the default. */
static draft_amount *label_condition(draft_node *label, draft_amount *value)
{
    draft_amount *condition = NULL;
    for (; is_label(label); label = label->children[label->count - 1]) {
        if (label->kind == CX_DEFAULT || label->count < 2) {
            return NULL;
        }
        draft_amount *here = draft_binary(CX_EQ, value, draft_eval(label->children[0]), false);
        condition = condition ? draft_binary(CX_LOGICAL_OR, condition, here, false) : here;
    }
    return condition;
}

/* Runs a switch: each label begins a branch, which ends at the first jump. The default's changes
 * are applied first, then those of the cases replace them. */
static void run_switch(draft_node *node)
{
    if (node->count < 2) {
        return;
    }
    draft_node *body = node->children[node->count - 1];
    draft_amount *value = draft_eval(node->children[node->count - 2]);
    bool unsure = draft_is_unsure(value);
    const unsigned outside = draft_now.unsure;
    GT_ARRAY(draft_state) branches = {0};
    GT_ARRAY(draft_amount *) conditions = {0};
    draft_now.unsure += unsure;
    for (unsigned i = 0; i < body->count; i++) {
        if (is_label(body->children[i])) {
            size_t outer = draft_branch_begin();
            bool leaves = false;
            for (unsigned k = i; k < body->count && !leaves; k++) {
                leaves = draft_run(body->children[k]);
            }
            draft_add(&branches, draft_branch_end(outer));
            draft_add(&conditions, label_condition(body->children[i], value));
        }
    }
    draft_now.unsure = outside;
    for (size_t i = 0; i < branches.count; i++) {
        if (!conditions.items[i]) {
            draft_branch_redo(&branches.items[i]);
        }
    }
    for (size_t i = 0; i < branches.count; i++) {
        if (conditions.items[i]) {
            draft_branch_merge(&branches.items[i], &(draft_state){0}, conditions.items[i]);
        }
    }
}

static bool run_all(draft_node *node)
{
    size_t facts = draft_now.facts.count;
    bool leaves = false;
    for (unsigned i = 0; i < node->count && !leaves; i++) {
        leaves = draft_run(node->children[i]);
    }
    draft_now.facts.count = facts;
    return leaves;
}

static bool run_return(draft_node *node)
{
    draft_amount *value = node->count ? draft_eval(node->children[0]) : draft_nothing();
    if (node->count && value->kind != DRAFT_OBJECT && draft_now.calls &&
        (node->type.kind == CX_TYPE_LVALUE || node->type.kind == CX_TYPE_RVALUE)) {
        value = draft_object(draft_spot_of(node->children[0]));
    }
    draft_now.returned = draft_now.returned
                             ? draft_either("a result", draft_nothing(), draft_now.returned, value)
                             : value;
    return true;
}

static bool ends_thread(const draft_node *node)
{
    const char *source = node->kind == CX_ASM ? draft_source_of(node->at) : "";
    const char *called = node->kind == CX_CALL && node->decl ? node->decl->name : "";
    return strstr(source, "\"trap;") || strstr(source, "\"exit;") ||
           strcmp(called, "__trap") == 0 || (draft_on_host() && strcmp(called, "exit") == 0);
}

bool draft_run(draft_node *node)
{
    draft_now.steps++;
    switch (node->kind) {
    case CX_COMPOUND:
        return run_all(node);
    case CX_IF:
        return run_if(node);
    case CX_FOR:
        run_for(node);
        return false;
    case CX_WHILE:
    case CX_DO:
        if (node->count > 1) {
            bool first = node->kind == CX_WHILE;
            loop l = {.at = node,
                      .condition = node->children[first ? 0 : 1],
                      .body = node->children[first ? 1 : 0]};
            run_loop(&l, first);
        }
        return false;
    case CX_RANGE_FOR:
        if (node->count) {
            loop l = {.at = node, .body = node->children[node->count - 1]};
            run_loop(&l, false);
        }
        return false;
    case CX_SWITCH:
        run_switch(node);
        return false;
    case CX_CASE:
    case CX_DEFAULT:
        return node->count && draft_run(node->children[node->count - 1]);
    case CX_LABEL:
    case CX_TRY:
    case CX_UNEXPOSED_STMT: /* a statement with an attribute, such as #pragma unroll */
        for (unsigned i = 0; i < node->count; i++) {
            draft_run(node->children[i]);
        }
        return false;
    case CX_DECL_STMT:
        for (unsigned i = 0; i < node->count; i++) {
            if (node->children[i]->kind == CX_VAR) {
                draft_declare(node->children[i]->decl);
            }
        }
        return false;
    case CX_RETURN:
        return run_return(node);
    case CX_GOTO:
    case CX_BREAK:
    case CX_CONTINUE:
        return true;
    default:
        draft_eval(node);
        return ends_thread(node);
    }
}
