/* Interprets statements, and derives facts from the conditions of branches and loops. */
#include "draft/parts.h"

#include "kernel/text/lexer.h"

#include <string.h>

/* The assignments in a branch: the bindings from `last` back to the one after `begin`. */
typedef struct branch {
    draft_binding *begin, *last;
} branch;

/* ---- variables ------------------------------------------------------------------------------- */

/* Each assignment adds a binding to a list. Undoing a branch removes the bindings it has added. */

/* Returns true if `member` is equal to `path` or is a member of it. */
static bool is_within(const char *member, const char *path)
{
    const size_t length = strlen(path);
    return strncmp(member, path, length) == 0 && (!member[length] || member[length] == '.');
}

const draft_binding *draft_outer_value(const draft_decl *decl, const char *path)
{
    const draft_binding *found = decl->latest;
    while (found && !is_within(path, found->path)) {
        found = found->older;
    }
    return found && found->value ? found : NULL;
}

draft_amount *draft_value_of(const draft_decl *decl, const char *path)
{
    const draft_binding *found = draft_outer_value(decl, path);
    return found && strcmp(found->path, path) == 0 ? found->value : NULL;
}

/* Handles an assignment to a variable that an existing lambda uses. In host code, the extents and
 * arguments of launches in lambdas become unknown. In kernels, adds a question. */
static void change_captured(const draft_decl *variable)
{
    const char *doubt =
        draft_format("'%s' changes after the lambda that uses it was made", variable->name);
    for (size_t i = 0; draft_on_host() && i < draft_now.program->launches.count; i++) {
        draft_launched *launch = &draft_now.program->launches.items[i];
        for (int d = 0; launch->in_lambda && d < 3; d++) {
            launch->grid[d] = launch->block[d] = draft_unknown(doubt);
            launch->arguments.count = 0;
        }
    }
    if (!draft_on_host()) {
        draft_add_text(&draft_now.out->unread,
                       draft_format("%s: %s", draft_place_of(variable->at), doubt));
    }
}

void draft_bind(draft_decl *decl, const char *path, draft_amount *value)
{
    if (decl->is_captured && !draft_now.lambdas) {
        change_captured(decl);
    }
    draft_binding *made = draft_new(sizeof *made);
    *made = (draft_binding){decl, path, value, decl->latest, draft_now.last};
    decl->latest = draft_now.last = made;
}

void draft_forget(draft_decl *decl)
{
    decl->is_captured = false; /* existing lambdas use the variable's earlier instance */
    draft_bind(decl, "", NULL);
}

void draft_assign(draft_decl *decl, const char *path, draft_amount *value, cx_type type)
{
    draft_fields fields = {0};
    draft_bind(decl, path, value);
    if (value->kind == DRAFT_OBJECT && value->place.variable && value->place.variable != decl) {
        fields = draft_fields_of(type);
    }
    const bool names = decl->name && fields.count && draft_is_own(cx.getTypeDeclaration(type));
    for (size_t i = 0; i < fields.count; i++) {
        const draft_field *field = &fields.items[i];
        draft_spot from = value->place;
        from.path = draft_format("%s.%s", from.path, field->name);
        if (!draft_is_array(field->type)) {
            const char *member = draft_format("%s.%s", path, field->name);
            draft_amount *own = field->type.kind == CX_TYPE_RECORD
                                    ? draft_object(from)
                                    : draft_read_variable(&from, field->type);
            draft_assign(decl, member, names ? draft_named(decl, member, own) : own, field->type);
        }
    }
}

static branch branch_end(draft_binding *begin)
{
    const branch out = {begin, draft_now.last};
    for (; draft_now.last != begin; draft_now.last = draft_now.last->before) {
        draft_now.last->decl->latest = draft_now.last->older;
    }
    return out;
}

static void branch_redo(const branch *branch)
{
    draft_bindings all = {0};
    for (draft_binding *b = branch->last; b != branch->begin; b = b->before) {
        draft_add(&all, b);
    }
    while (all.count) {
        const draft_binding *b = all.items[--all.count];
        draft_bind(b->decl, b->path, b->value);
    }
    gt_array_free(&all);
}

static void branch_changes(draft_bindings *out, const branch *branch)
{
    for (draft_binding *b = branch->last; b != branch->begin; b = b->before) {
        bool known = false;
        size_t kept = 0;
        for (size_t i = 0; i < out->count; i++) {
            draft_binding *other = out->items[i];
            known |= other->decl == b->decl && strcmp(other->path, b->path) == 0;
            if (b->value || other->decl != b->decl) { /* drop variables declared in the branch */
                out->items[kept++] = other;
            }
        }
        out->count = kept;
        if (!known && b->value) {
            draft_add(out, b);
        }
    }
}

static draft_amount *value_now(const draft_binding *changed)
{
    const draft_spot spot = {.variable = changed->decl, .path = changed->path};
    draft_amount *own = draft_value_of(changed->decl, changed->path), *value = changed->value;
    return own ? own
           : !draft_on_host() || !draft_is_known(value)
               ? value
               : draft_read_variable(&spot, (cx_type){.kind = CX_TYPE_UINT});
}

static void branch_merge(const branch *then, const branch *otherwise, draft_amount *condition)
{
    const branch *branches[] = {then, otherwise};
    draft_bindings changed = {0};
    branch_changes(&changed, then);
    branch_changes(&changed, otherwise);
    draft_amount *(*values)[2] = draft_new((changed.count + 1) * sizeof *values);
    for (int side = 0; side < 2; side++) {
        draft_binding *begin = draft_now.last;
        branch_redo(branches[side]);
        for (size_t i = 0; i < changed.count; i++) {
            values[i][side] = value_now(changed.items[i]);
        }
        branch_end(begin);
    }
    for (size_t i = changed.count; i-- > 0;) { /* assign a struct before its members */
        draft_decl *decl = changed.items[i]->decl;
        const char *path = changed.items[i]->path;
        draft_amount *value = draft_either(decl->name, condition, values[i][0], values[i][1]);
        draft_bind(decl, path, draft_named(decl, path, value));
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Replaces a row number a / b by 0 if the condition depends on the column number a % b. */
static draft_amount *put_row(void *condition, draft_amount *part)
{
    const draft_amount *c = condition;
    bool found = false;
    for (unsigned i = 0; part->kind == DRAFT_QUOTIENT && i < c->part_count; i++) {
        draft_amount *rest = c->parts[i];
        const bool divides = rest->kind == DRAFT_REST || rest->kind == DRAFT_BITS;
        found |= (divides && !draft_has_kind(draft_plus(part->a, rest->a, -1), DRAFT_THREAD) &&
                  draft_plus(rest->b, draft_number(rest->kind == DRAFT_BITS), 1) == part->b) ||
                 put_row(rest, part);
    }
    return found ? draft_number(0) : NULL;
}

bool draft_has_gaps(draft_amount *offset)
{
    bool found = draft_now.unsure > 0 || draft_is_unsure(offset);
    for (size_t i = 0; !found && i < draft_now.facts.count; i++) {
        draft_amount *condition = draft_now.facts.items[i].lhs;
        if (!draft_now.facts.items[i].most) {
            const draft_symbols symbols =
                draft_symbols_of(draft_replace(offset, put_row, condition));
            for (size_t k = 0; k < symbols.count; k++) {
                found |= (DRAFT_KIND(symbols.items[k]->kind) & DRAFT_VARYING) &&
                         draft_has_symbol(condition, symbols.items[k]);
            }
        }
    }
    return found;
}

size_t draft_depth_of_gaps(void)
{
    size_t depth = draft_now.unsure;
    for (size_t i = 0; i < draft_now.facts.count; i++) {
        depth += !draft_now.facts.items[i].most;
    }
    return depth;
}

/* Records that an element is written if both branches of an if statement write it. */
static void merge_writes(size_t begin, size_t middle, const size_t depths[2])
{
    const size_t end = draft_on_host() ? 0 : draft_now.out->accesses.count;
    for (size_t i = begin; i < middle && i < end; i++) {
        for (size_t k = middle; k < end; k++) {
            draft_access both = draft_now.out->accesses.items[i];
            const draft_access *other = &draft_now.out->accesses.items[k];
            if (both.written && other->written && both.buffer == other->buffer &&
                both.offset == other->offset && both.depth == depths[0] &&
                other->depth == depths[1]) {
                both.depth = draft_depth_of_gaps();
                both.buffer->is_surely_written |= !draft_has_gaps(both.offset);
                draft_add(&draft_now.out->accesses, both);
            }
        }
    }
}

void draft_assume(draft_amount *condition, bool holds)
{
    const size_t before = draft_now.facts.count;
    if (draft_on_host()) {
        draft_amount *not = draft_make(DRAFT_NEGATION, condition, NULL, NULL);
        draft_add(&draft_now.facts, ((draft_fact){.lhs = holds ? condition : not }));
        return;
    }
    draft_facts_add(&draft_now.facts, condition, holds);
    for (size_t i = before; !draft_now.quiet && i < draft_now.facts.count; i++) {
        if (draft_now.facts.items[i].most) {
            draft_add(&draft_now.out->guards, draft_now.facts.items[i]);
        }
    }
}

bool draft_is_unsure(draft_amount *condition)
{
    return !draft_is_known(condition) ||
           (condition->kinds & (DRAFT_KIND(DRAFT_LOADED) | DRAFT_KIND(DRAFT_CHANGING)));
}

/* ---- what code assigns ----------------------------------------------------------------------- */

bool draft_is_change(const draft_node *node)
{
    return (node->kind == CX_BINARY && node->operation == CX_ASSIGN) ||
           node->kind == CX_COMPOUND_ASSIGN ||
           (node->kind == CX_UNARY && node->operation <= CX_PRE_DEC && node->operation > 0);
}

bool draft_has_change(const draft_node *node)
{
    bool found = draft_is_change(node);
    for (unsigned i = 0; !found && i < node->count; i++) {
        found = draft_has_change(node->children[i]);
    }
    return found;
}

/* Evaluates a condition in host code. Returns false if the condition is unknown or may vary. */
static bool is_decided(int64_t *out, const draft_amount *condition)
{
    const draft_symbols symbols =
        draft_on_host() ? draft_symbols_of(condition) : (draft_symbols){0};
    bool is_sure = draft_on_host();
    for (size_t i = 0; i < symbols.count; i++) {
        is_sure &= !symbols.items[i]->doubt;
    }
    return is_sure && draft_evaluate(out, condition);
}

draft_amount *draft_either(const char *name, draft_amount *condition, draft_amount *a,
                           draft_amount *b)
{
    int64_t number;
    if (a == b || draft_is_number(condition, &number)) {
        return a == b || number ? a : b;
    }
    if (a->kind == DRAFT_POINTER && b->kind == DRAFT_POINTER) {
        if (is_decided(&number, condition)) {
            return number ? a : b;
        }
        bool is_same = a->place.buffer == b->place.buffer && a->place.offset == b->place.offset &&
                       a->place.variable == b->place.variable;
        for (int i = 0; draft_on_host() && !is_same && i < 2; i++) {
            const draft_spot *spot = i ? &b->place : &a->place;
            if (spot->variable) {
                draft_change_unseen(spot, draft_type_of(spot->variable),
                                    "may be changed through a pointer");
            }
        }
        return is_same ? a : draft_pointer((draft_spot){.path = ""});
    }
    if (a->kind == DRAFT_POINTER || b->kind == DRAFT_POINTER) {
        return a->kind == DRAFT_POINTER ? a : b; /* the other value is a null pointer */
    }
    if (draft_is_known(a) && draft_is_known(b)) {
        condition = draft_is_known(condition) ? condition : draft_changing(name);
        return draft_make(DRAFT_COND, condition, a, b);
    }
    bool is_other = a->kind == DRAFT_OBJECT || b->kind == DRAFT_OBJECT || a->kind == DRAFT_TEXT ||
                    b->kind == DRAFT_TEXT;
    return draft_on_host() ? draft_unknown(DRAFT_UNDECIDED)
           : is_other      ? draft_nothing()
                           : draft_changing(name);
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct loop {
    draft_node *condition, *step, *body;
} loop;

static void run_round(const loop *l)
{
    if (l->condition) {
        draft_eval(l->condition);
    }
    draft_run(l->body);
    if (l->step) {
        draft_now.begins_loop = true; /* a small number in the step is not a problem size */
        draft_eval(l->step);
        draft_now.begins_loop = false;
    }
}

/* Interprets one iteration of the loop and then undoes it. Returns all changes of variables. *left
 * receives the changes in branches that end the iteration early. */
static draft_bindings changes_of(draft_bindings *left, const loop *l)
{
    const draft_bindings outer = draft_now.left;
    draft_binding *begin = draft_now.last;
    draft_now.left = (draft_bindings){0};
    run_round(l);
    const branch round = branch_end(begin);
    draft_bindings out = {0};
    *left = draft_now.left;
    draft_now.left = outer;
    for (size_t i = 0; i < left->count; i++) {
        draft_add(&out, left->items[i]);
    }
    branch_changes(&out, &round);
    return out;
}

static draft_amount *held(const draft_binding *b)
{
    const draft_spot spot = {.variable = b->decl, .path = b->path};
    return draft_read_variable(&spot,
                               *b->path ? (cx_type){.kind = CX_TYPE_UINT} : draft_type_of(b->decl));
}

static draft_amount *unknown_now(const draft_binding *b, draft_amount *before)
{
    draft_amount *changing = draft_changing(b->decl->name);
    return before->kind == DRAFT_POINTER ? draft_pointer(draft_moved(&before->place, changing))
           : draft_is_known(before) || draft_is_integer(draft_type_of(b->decl)) ? changing
                                                                                : draft_nothing();
}

static void forget_changes(const draft_bindings *changes)
{
    for (size_t i = changes->count; i-- > 0;) {
        const draft_binding *b = changes->items[i];
        draft_bind(b->decl, b->path, unknown_now(b, held(b)));
    }
}

/* Takes the end value of a counter from the condition of the loop. */
static void find_end(draft_symbol *counter, const draft_amount *condition)
{
    if (condition->a == draft_symbol_value(counter)) {
        counter->end =
            condition->kind == DRAFT_LESS || condition->kind == DRAFT_UNEQUAL ? condition->b
            : condition->kind == DRAFT_AT_MOST ? draft_plus(condition->b, draft_number(1), 1)
                                               : counter->end;
    }
}

/* Recognises for (j = rows[i]; j < rows[i + 1]; …) and marks `rows` as ascending. */
static void note_rows(draft_symbol *counter)
{
    draft_symbol *end = counter->end ? counter->end->symbol : NULL;
    int64_t distance;
    for (size_t i = 0; end && end->buffer && i < draft_now.out->loaded.count; i++) {
        draft_symbol *begin = draft_now.out->loaded.items[i];
        if (end->kind == DRAFT_LOADED && begin->buffer == end->buffer &&
            draft_has_symbol(counter->first, begin) &&
            draft_is_number(draft_plus(end->index, begin->index, -1), &distance) &&
            distance == cx.Type_getSizeOf(end->buffer->type)) {
            end->buffer->is_rising = true;
            counter->end = draft_bound(counter->end, true, &(draft_facts){0});
            draft_amount *in_rows =
                draft_make(DRAFT_LESS, draft_symbol_value(counter), counter->end, NULL);
            draft_facts_add(&draft_now.facts, in_rows, true);
            return;
        }
    }
}

/* Returns the value of a variable in a loop that begins with `first`: the counter or, for a
 * pointer, `first` moved by the counter in bytes. Returns NULL if the first value is not known. */
static draft_amount *counted_from(draft_amount *first, draft_symbol *counter)
{
    return first->kind == DRAFT_POINTER && first->place.buffer
               ? draft_pointer(draft_moved(&first->place, draft_symbol_value(counter)))
           : draft_is_known(first) ? draft_symbol_value(counter)
                                   : NULL;
}

/* Derives the step of a counter from the variable's value after one iteration. */
static void find_step(draft_symbol *counter, draft_amount *first, draft_amount *after)
{
    draft_amount *begin = counted_from(first, counter);
    if (begin && begin->kind == DRAFT_POINTER && after->kind == DRAFT_POINTER &&
        after->place.buffer == begin->place.buffer) {
        begin = begin->place.offset;
        after = after->place.offset;
    }
    draft_amount *step = begin ? draft_plus(after, begin, -1) : draft_nothing();
    if (draft_is_known(step) && !draft_has_kind(step, DRAFT_COUNTER)) {
        counter->step = step;
    }
}

static bool is_changed(const draft_bindings *changes, const draft_decl *decl)
{
    bool found = false;
    for (size_t i = 0; i < changes->count; i++) {
        found |= changes->items[i]->decl == decl;
    }
    return found;
}

/* Interprets one iteration to find how the loop changes its variables. A variable becomes a counter
 * if each iteration adds the same step to it, and unknown otherwise. */
static void enter_loop(const loop *l, const draft_bindings *changes, const draft_bindings *left)
{
    draft_amount **first = draft_new((changes->count + 1) * sizeof(draft_amount *));
    draft_symbol **counters = draft_new((changes->count + 1) * sizeof *counters);
    draft_binding *begin = draft_now.last;
    draft_now.quiet++;
    for (size_t i = changes->count; i-- > 0;) {
        const draft_binding *b = changes->items[i];
        first[i] = held(b);
        counters[i] = draft_new_symbol(DRAFT_COUNTER, b->decl->name);
        draft_amount *counted = counted_from(first[i], counters[i]);
        draft_bind(b->decl, b->path, counted ? counted : unknown_now(b, first[i]));
    }
    run_round(l);
    for (size_t i = 0; i < changes->count; i++) {
        const draft_binding *b = changes->items[i];
        if (!is_changed(left, b->decl)) {
            find_step(counters[i], first[i], held(b));
        }
    }
    branch_end(begin);
    for (size_t i = changes->count; i-- > 0;) {
        const draft_binding *b = changes->items[i];
        draft_bind(b->decl, b->path,
                   counters[i]->step ? counted_from(first[i], counters[i])
                                     : unknown_now(b, first[i]));
    }
    begin = draft_now.last;
    draft_amount *condition = l->condition ? draft_eval(l->condition) : draft_nothing();
    branch_end(begin);
    draft_now.quiet--;
    draft_amount *rounds = NULL;
    for (size_t i = changes->count; i-- > 0;) {
        if (counters[i]->step) {
            counters[i]->first = first[i]->kind == DRAFT_POINTER ? draft_number(0) : first[i];
            draft_now.out->strides_grid |= draft_has_kind(counters[i]->step, DRAFT_GRID_SIZE);
            find_end(counters[i], condition);
            note_rows(counters[i]);
        }
        if (counters[i]->end) {
            rounds = draft_plus(counters[i]->end, counters[i]->first, -1);
            rounds = draft_make(DRAFT_CEIL_DIV, rounds, counters[i]->step, NULL);
        }
    }
    for (size_t i = 0; rounds && i < changes->count; i++) { /* end: one past the last value */
        draft_symbol *c = counters[i];
        if (c->step && !c->end) {
            draft_amount *before = draft_plus(rounds, draft_number(1), -1);
            c->end = draft_plus(draft_plus(c->first, draft_times(before, c->step), 1),
                                draft_number(1), 1);
        }
    }
}

/* Records that these host variables may have other values in another run, because of `doubt`. */
static void doubt_changes(const draft_bindings *changes, const char *doubt)
{
    int64_t number;
    for (size_t i = changes->count; i-- > 0;) {
        const draft_binding *b = changes->items[i];
        draft_amount *value = b->value;
        if (draft_is_known(value)) {
            bool has = draft_evaluate(&number, value_now(b)) && number > 1;
            value = draft_doubtful(b->decl, b->path, has ? &number : NULL, doubt);
        }
        draft_bind(b->decl, b->path, value->kind == DRAFT_TEXT ? draft_nothing() : value);
    }
}

draft_amount *draft_eval_if(draft_node *node, const draft_amount *condition, bool holds)
{
    draft_binding *begin = draft_now.last;
    draft_bindings changes = {0};
    draft_amount *value = draft_eval(node);
    int64_t number;
    const bool decided = is_decided(&number, condition);
    if (draft_now.last != begin && !(decided && (number != 0) == holds)) {
        const branch taken = branch_end(begin);
        branch_changes(&changes, &taken);
        changes.count = decided ? 0 : changes.count;
        if (draft_on_host()) {
            doubt_changes(&changes, DRAFT_UNDECIDED);
        } else {
            forget_changes(&changes);
        }
    }
    return value;
}

void draft_run_perhaps(const draft_node *node, const char *doubt)
{
    draft_binding *begin = draft_now.last;
    draft_amount *returned = draft_now.returned;
    draft_bindings changes = {0};
    draft_now.skipped++;
    for (unsigned i = 0; draft_on_host() && i < node->count; i++) {
        if (node->children[i]->kind == CX_COMPOUND) {
            draft_run(node->children[i]);
        }
    }
    draft_now.skipped--;
    draft_now.returned = returned;
    const branch body = branch_end(begin);
    branch_changes(&changes, &body);
    doubt_changes(&changes, doubt);
}

/* Interprets up to 16 iterations of a loop in host code and then undoes them. */
static void run_rounds(const loop *l, draft_binding *begin)
{
    int64_t number = 1;
    const branch before = branch_end(begin);
    for (int i = 0; i < 16 && number; i++) {
        run_round(l);
        number = l->condition && is_decided(&number, draft_eval(l->condition)) ? number : 0;
    }
    branch_end(begin);
    branch_redo(&before);
}

/* Interprets a loop in host code. Unless its condition is false at first, interprets two
 * iterations. Variables that change in them may have other values in another run. If the first
 * iteration skips a launch, as in switch (i), interprets more iterations to find it. */
static void run_host_loop(const loop *l, bool checks_first)
{
    static const char doubt[] = "is changed by a loop";
    int64_t number;
    draft_bindings left;
    draft_binding *begin = draft_now.last;
    if (!checks_first && l->condition) {
        draft_run(l->body);
    }
    draft_amount *condition = l->condition ? draft_eval(l->condition) : draft_nothing();
    if (!is_decided(&number, condition) || number) {
        branch_end(begin);
        draft_bindings changes = changes_of(&left, l);
        const unsigned missed = draft_now.missed;
        doubt_changes(&changes, doubt);
        /* run the body again, because later iterations may take other branches */
        draft_now.skipped++;
        changes = changes_of(&left, l);
        draft_now.skipped--;
        doubt_changes(&changes, doubt);
        if (draft_now.missed > missed) {
            run_rounds(l, begin);
        }
    }
}

static void run_loop(const loop *l, bool checks_first)
{
    draft_bindings left;
    const size_t facts = draft_now.facts.count;
    const unsigned outer = draft_now.unsure;
    if (draft_on_host()) {
        run_host_loop(l, checks_first);
        return;
    }
    draft_now.quiet++;
    const draft_bindings changes = changes_of(&left, l);
    draft_now.quiet--;
    if (!draft_now.quiet) {
        draft_now.out->has_loop = true;
        enter_loop(l, &changes, &left);
        draft_amount *condition = l->condition ? draft_eval(l->condition) : draft_nothing();
        if (l->condition && draft_is_known(condition)) {
            /* create the symbol `range` of buffers whose elements occur in the condition */
            draft_bound(condition, true, &draft_now.facts);
        }
        draft_now.unsure += l->condition && draft_is_unsure(condition);
        if (checks_first) {
            draft_assume(condition, true);
        }
        draft_run(l->body);
        if (l->step) {
            draft_eval(l->step);
        }
    }
    draft_now.unsure = outer;
    draft_now.facts.count = facts;
    forget_changes(&changes);
}

/* Finds the parts of a `for` statement. libclang does not report empty parts. */
static void run_for(draft_node *node)
{
    loop l = {.body = node->count ? node->children[node->count - 1] : NULL};
    draft_node *first = NULL;
    for (unsigned i = 0; i + 1 < node->count; i++) {
        draft_node *part = node->children[i];
        if (part->kind == CX_DECL_STMT ||
            (draft_is_change(part) && part->kind == CX_BINARY && !l.condition)) {
            first = part;
        } else if (!draft_is_change(part) && !l.condition && part->operation != CX_COMMA) {
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

/* Interprets a branch. Launches in a skipped branch are used only if the kernel has no other
 * launches. */
static bool run_branch(draft_node *branch, bool is_skipped)
{
    draft_now.skipped += is_skipped ? 2 : 0;
    const bool leaves = branch && draft_run(branch);
    draft_now.skipped -= is_skipped ? 2 : 0;
    return leaves;
}

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
    if (condition->kind == CX_VAR) { /* a declaration: if (int n = …) */
        draft_declare(condition->decl);
    }
    draft_amount *value = draft_eval(condition);
    int64_t number;
    bool unsure = draft_is_unsure(value);
    draft_bindings skipped = {0};
    if (!draft_on_host() && draft_is_number(value, &number)) { /* a constant condition */
        draft_node *taken = number ? then : otherwise;
        return taken && draft_run(taken);
    }
    size_t writes[2], depths[2];
    writes[0] = draft_on_host() ? 0 : draft_now.out->accesses.count;
    draft_now.unsure += unsure;
    draft_assume(value, true);
    depths[0] = draft_depth_of_gaps();
    draft_binding *begin = draft_now.last;
    const bool decided = is_decided(&number, value);
    bool then_leaves = run_branch(then, decided && !number);
    const branch first = branch_end(begin);
    draft_now.facts.count = facts;
    writes[1] = draft_on_host() ? 0 : draft_now.out->accesses.count;
    draft_assume(value, false);
    depths[1] = draft_depth_of_gaps();
    bool else_leaves = run_branch(otherwise, decided && number);
    const branch second = branch_end(begin);
    draft_now.unsure -= unsure;
    draft_now.unsure +=
        unsure && then_leaves != else_leaves; /* only one branch's threads continue */
    if (then_leaves != else_leaves &&
        (!draft_on_host() || (draft_now.jump && draft_now.jump != CX_RETURN))) {
        branch_changes(draft_on_host() ? &skipped : &draft_now.left,
                       then_leaves ? &first : &second);
    }
    draft_now.facts.count = facts;
    merge_writes(writes[0], writes[1], depths);
    if (then_leaves != else_leaves) {
        const bool may_return = draft_now.jump == CX_RETURN && !(decided && !number == then_leaves);
        draft_now.early = draft_now.early || !may_return ? draft_now.early : draft_now.last;
        branch_redo(then_leaves ? &second : &first);
        draft_assume(value, else_leaves); /* the fact holds until the end of the block */
        doubt_changes(&skipped, "is changed before a jump");
        return false;
    }
    branch_merge(&first, &second, value);
    return then_leaves && else_leaves;
}

static bool is_label(const draft_node *node)
{
    return node->kind == CX_CASE || node->kind == CX_DEFAULT;
}

static bool has_label(draft_node *label, int64_t value)
{
    int64_t own;
    bool has = false;
    for (; !has && is_label(label); label = label->children[label->count - 1]) {
        has = label->kind == CX_CASE && draft_is_constant(&own, label->children[0]->at) &&
              own == value;
    }
    return has;
}

/* Returns the condition for a jump of a switch to the label. Unknown for the label `default`. */
static draft_amount *is_case(draft_node *label, draft_amount *value)
{
    draft_amount *found = draft_number(0);
    int64_t own;
    for (; is_label(label); label = label->children[label->count - 1]) {
        const bool is_known =
            label->kind == CX_CASE && draft_is_constant(&own, label->children[0]->at);
        draft_amount *same = is_known ? draft_make(DRAFT_EQUAL, value, draft_number(own), NULL)
                                      : draft_changing("a case");
        found = draft_make(DRAFT_ANY, found, same, NULL);
    }
    return found;
}

/* Interprets a switch. The code from a label to the next jump is treated as a branch. */
static void run_switch(draft_node *node)
{
    if (node->count < 2) {
        return;
    }
    draft_node *body = node->children[node->count - 1];
    draft_amount *value = draft_eval(node->children[node->count - 2]);
    const unsigned outside = draft_now.unsure;
    int64_t number;
    const bool decided = is_decided(&number, value);
    bool has_case = false;
    draft_now.unsure += draft_is_unsure(value);
    for (unsigned i = 0; decided && i < body->count; i++) {
        has_case |= has_label(body->children[i], number);
    }
    for (unsigned i = 0; i < body->count; i++) {
        draft_node *label = body->children[i];
        if (is_label(label)) {
            const bool is_skipped =
                decided && !has_label(label, number) && (has_case || label->kind != CX_DEFAULT);
            draft_binding *begin = draft_now.last;
            const size_t facts = draft_now.facts.count;
            bool leaves = false;
            if (draft_on_host()) {
                draft_assume(is_case(label, value), true);
            }
            for (unsigned k = i; k < body->count && !leaves; k++) {
                leaves = run_branch(body->children[k], is_skipped);
            }
            draft_now.facts.count = facts;
            const branch taken = branch_end(begin);
            if (!decided) {
                branch_merge(&taken, &(branch){0}, draft_nothing());
            } else if (!is_skipped) {
                branch_redo(&taken);
            }
        }
    }
    draft_now.unsure = outside;
}

/* Returns true if these neighbouring tokens may change a variable: a = 1, ++a, &a, >> a, f(a) */
static bool may_change(const gt_token *before, const gt_token *after)
{
    return gt_token_is_any(before, "& >> ++ --") ||
           gt_token_is_any(after, "= += -= *= /= %= &= |= ^= <<= >>= ++ --") ||
           (gt_token_is_any(before, "( ,") && gt_token_is_any(after, ") ,"));
}

static bool is_named(const draft_decl *decl, const char *path, const gt_token *name)
{
    const char *member = strrchr(path, '.');
    return (gt_token_is(name, decl->name) || (member && gt_token_is(name, member + 1))) &&
           !cx.isConstQualifiedType(cx.getCursorType(decl->at));
}

/* If clang could not parse this host code, marks the variables that the code changes as unknown. */
static void doubt_unread(draft_extent part)
{
    draft_program *program = draft_now.program;
    const size_t length = part.end > part.begin ? part.end - part.begin : 0;
    gt_lexer lexer = gt_lexer_on(part.text + part.begin, length), line;
    gt_token before = {.kind = GT_TOKEN_END};
    draft_bindings changes = {0};
    bool is_unread = false;
    for (size_t i = 0; draft_on_host() && i < program->unread.count; i++) {
        const draft_extent *at = &program->unread.items[i];
        is_unread |= at->file == part.file && at->begin >= part.begin && at->begin < part.end;
    }
    while (is_unread && lexer.token.kind != GT_TOKEN_END) {
        const gt_token name = lexer.token;
        if (name.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            continue;
        }
        gt_lexer_next(&lexer);
        const bool changes_name = name.kind == GT_TOKEN_NAME && may_change(&before, &lexer.token);
        before = name;
        for (size_t i = 0; changes_name && i < program->globals.count; i++) {
            draft_decl *decl = program->globals.items[i];
            const draft_spot spot = {.variable = decl, .path = ""};
            if (!decl->latest && is_named(decl, "", &name)) {
                draft_bind(decl, "", draft_read_variable(&spot, draft_type_of(decl)));
            }
        }
        for (draft_binding *b = draft_now.last; changes_name && b; b = b->before) {
            if (b == draft_outer_value(b->decl, b->path) && is_named(b->decl, b->path, &name)) {
                draft_add(&changes, b);
            }
        }
    }
    doubt_changes(&changes, "may be changed by code that clang does not read");
}

static bool run_all(draft_node *node)
{
    size_t facts = draft_now.facts.count;
    draft_extent gap = draft_extent_of(node->at), own = gap;
    const unsigned end = gap.end;
    bool leaves = false;
    for (unsigned i = 0; i <= node->count && !leaves; i++) {
        draft_node *child = i < node->count ? node->children[i] : NULL;
        own = child && draft_on_host() ? draft_extent_of(child->at) : own;
        gap.end = child ? own.begin : end;
        doubt_unread(gap);
        leaves = child && draft_run(child);
        if (child && (child->kind < CX_UNEXPOSED_STMT || child->kind == CX_DECL_STMT)) {
            doubt_unread(own);
        }
        gap.begin = own.end;
    }
    draft_now.facts.count = facts;
    return leaves;
}

static bool run_return(draft_node *node)
{
    draft_amount *value = !node->count ? draft_nothing()
                          : draft_returns_place(draft_now.function)
                              ? draft_object(draft_spot_of(node->children[0]))
                              : draft_eval(node->children[0]);
    draft_amount *when = draft_on_host() ? draft_number(1) : draft_nothing();
    for (size_t i = draft_now.outer_facts; draft_on_host() && i < draft_now.facts.count; i++) {
        when = draft_make(DRAFT_BOTH, when, draft_now.facts.items[i].lhs, NULL);
    }
    int64_t number;
    when = draft_evaluate(&number, when) ? when : draft_nothing();
    if (draft_now.returned) {
        value = draft_either("a result", draft_now.returned_if, draft_now.returned, value);
        when = draft_make(DRAFT_ANY, draft_now.returned_if, when, NULL);
    }
    draft_now.returned = value;
    draft_now.returned_if = when;
    draft_now.jump = CX_RETURN;
    return true;
}

/* Handles a label that a goto jumps to. All host variables that have changed so far may vary after
 * the label, because the jump may have skipped the changes. */
static void doubt_jump(void)
{
    draft_bindings changes = {0};
    for (draft_binding *b = draft_on_host() ? draft_now.last : NULL; b; b = b->before) {
        if (b == draft_outer_value(b->decl, b->path)) {
            draft_add(&changes, b);
        }
    }
    doubt_changes(&changes, "may have been changed before a jump");
}

void draft_doubt_return(const draft_binding *begin)
{
    draft_binding *from = draft_now.last;
    draft_bindings changes = {0};
    while (from != begin && from != draft_now.early) {
        from = from->before;
    }
    branch_changes(&changes, &(branch){from, draft_now.last});
    doubt_changes(&changes, "is changed after a return");
    for (size_t i = 0; i < changes.count; i++) { /* a pointer may still have its old value */
        const draft_binding *b = changes.items[i], *older = b->older;
        while (older && strcmp(older->path, b->path) != 0) {
            older = older->older;
        }
        if (older && older->value && older->value->kind == DRAFT_POINTER) {
            draft_bind(b->decl, b->path, draft_either("", draft_nothing(), older->value, b->value));
        }
    }
}

static bool ends_program(const draft_node *node)
{
    return node->kind == CX_THROW || (node->kind == CX_CALL && node->decl && draft_on_host() &&
                                      strcmp(node->decl->name, "exit") == 0);
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
            loop l = {.condition = node->children[first ? 0 : 1],
                      .body = node->children[first ? 1 : 0]};
            run_loop(&l, first);
        }
        return false;
    case CX_RANGE_FOR:
        for (unsigned i = 0; i + 1 < node->count; i++) {
            draft_run(node->children[i]);
        }
        if (node->count) {
            loop l = {.body = node->children[node->count - 1]};
            run_loop(&l, false);
        }
        return false;
    case CX_SWITCH:
        run_switch(node);
        return false;
    case CX_CASE:
    case CX_DEFAULT:
        return node->count && draft_run(node->children[node->count - 1]);
    case CX_TRY:
        draft_run(node->children[0]);
        for (unsigned i = 1; i < node->count; i++) {
            draft_run_perhaps(node->children[i], "may be changed by an exception's handler");
        }
        return false;
    case CX_LABEL:
    case CX_UNEXPOSED_STMT: /* a statement with an attribute, such as #pragma unroll */
        if (node->kind == CX_LABEL) {
            doubt_jump();
        }
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
        draft_now.jump = node->kind;
        return true;
    default:
        draft_eval(node);
        draft_now.jump = ends_program(node) ? 0 : draft_now.jump;
        return ends_program(node);
    }
}
