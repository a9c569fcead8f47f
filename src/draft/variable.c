/* Stores the values of variables and of their members, and merges those of branches. */
#include "draft/parts.h"

#include <string.h>

static draft_slot *find_in(const draft_slots *slots, const char *path)
{
    for (size_t i = 0; i < slots->count; i++) {
        if (strcmp(slots->items[i].path, path) == 0) {
            return &slots->items[i];
        }
    }
    return NULL;
}

draft_slot *draft_find_slot(draft_decl *decl, const char *path)
{
    return find_in(&decl->slots, path);
}

static draft_slots copy_slots(const draft_slots *slots)
{
    draft_slots out = {0};
    for (size_t i = 0; i < slots->count; i++) {
        draft_add(&out, slots->items[i]);
    }
    return out;
}

/* The values of variables before their first change in a branch, in the order of the changes. */
typedef struct change {
    draft_decl *decl;
    draft_slots slots;
    size_t saved; /* index after the variable's previous entry */
} change;
static GT_ARRAY(change) journal;

static void note_change(draft_decl *decl)
{
    if (decl->saved <= draft_now.branch || decl->saved > journal.count ||
        journal.items[decl->saved - 1].decl != decl) {
        change before = {decl, copy_slots(&decl->slots), decl->saved};
        draft_add(&journal, before);
        decl->saved = journal.count;
    }
}

size_t draft_branch_begin(void)
{
    const size_t outer = draft_now.branch;
    draft_now.branch = journal.count;
    return outer;
}

draft_state draft_branch_end(size_t outer)
{
    draft_state out = {0};
    const size_t begin = draft_now.branch;
    out.slots = draft_new((journal.count - begin + 1) * sizeof *out.slots);
    while (journal.count > begin) {
        journal.count--;
        draft_decl *decl = journal.items[journal.count].decl;
        out.slots[out.decls.count] = decl->slots;
        draft_add(&out.decls, decl);
        decl->slots = journal.items[journal.count].slots;
        decl->saved = journal.items[journal.count].saved;
    }
    draft_now.branch = outer;
    return out;
}

static void set_slots(draft_decl *decl, const draft_slots *slots)
{
    note_change(decl);
    decl->slots = copy_slots(slots);
}

void draft_forget(draft_decl *decl)
{
    set_slots(decl, &(draft_slots){0});
}

/* Returns true if `member` is `path` or a member of it. */
static bool is_within(const char *member, const char *path)
{
    const size_t length = strlen(path);
    return strncmp(member, path, length) == 0 && (!member[length] || member[length] == '.');
}

const draft_slot *draft_outer_slot(const draft_decl *decl, const char *path)
{
    const draft_slot *outer = NULL;
    for (size_t i = 0; i < decl->slots.count; i++) {
        const draft_slot *slot = &decl->slots.items[i];
        bool is_smaller = !outer || strlen(slot->path) > strlen(outer->path);
        outer = is_within(path, slot->path) && is_smaller ? slot : outer;
    }
    return outer;
}

void draft_set_slot(draft_decl *decl, const char *path, draft_amount *value)
{
    draft_slot made = {path, value};
    size_t kept = 0;
    note_change(decl);
    for (size_t i = 0; i < decl->slots.count; i++) {
        if (!is_within(decl->slots.items[i].path, path)) {
            decl->slots.items[kept++] = decl->slots.items[i];
        }
    }
    decl->slots.count = kept;
    draft_add(&decl->slots, made);
}

void draft_assign(draft_decl *decl, const char *path, draft_amount *value, cx_type type)
{
    draft_fields fields = {0};
    draft_set_slot(decl, path, value);
    if (value->kind == DRAFT_OBJECT && value->place.variable && value->place.variable != decl) {
        fields = draft_fields_of(type);
    }
    for (size_t i = 0; i < fields.count; i++) {
        const draft_field *field = &fields.items[i];
        draft_spot from = value->place;
        from.path = draft_format("%s.%s", from.path, field->name);
        if (!draft_is_array(field->type)) {
            draft_assign(decl, draft_format("%s.%s", path, field->name),
                         field->type.kind == CX_TYPE_RECORD
                             ? draft_object(from)
                             : draft_read_variable(&from, field->type),
                         field->type);
        }
    }
}

/* ---- branches -------------------------------------------------------------------------------- */

/* Returns a variable's values at the end of a branch, or its present values if the branch does not
 * change it. */
static const draft_slots *slots_at_end(const draft_state *branch, draft_decl *decl)
{
    for (size_t i = 0; i < branch->decls.count; i++) {
        if (branch->decls.items[i] == decl) {
            return &branch->slots[i];
        }
    }
    return &decl->slots;
}

/* Returns a value from these slots, otherwise that of `other` or a host number's initial value. */
draft_amount *draft_value_by(const draft_slots *slots, draft_decl *decl, const draft_slot *other)
{
    const draft_slot *own = find_in(slots, other->path);
    if (own) {
        return own->value;
    }
    if (!draft_on_host() || !draft_is_known(other->value) || other->value->kind == DRAFT_TEXT) {
        return other->value;
    }
    const draft_slots now = decl->slots;
    draft_spot spot = {.variable = decl, .path = other->path};
    decl->slots = *slots;
    draft_amount *value = draft_read_variable(&spot, (cx_type){.kind = CX_TYPE_UINT});
    decl->slots = now;
    return value;
}

/* Merges the values of a variable from two branches: `then` if the condition is true, else
 * `otherwise`. */
static void merge_variable(draft_decl *decl, draft_amount *condition, const draft_slots *then,
                           const draft_slots *otherwise)
{
    draft_slots merged = {0};
    for (int side = 0; side < 2; side++) {
        const draft_slots *slots = side ? otherwise : then;
        for (size_t i = 0; i < slots->count; i++) {
            draft_slot slot = slots->items[i];
            if (!find_in(&merged, slot.path)) {
                draft_amount *value =
                    draft_either(decl->name, condition, draft_value_by(then, decl, &slot),
                                 draft_value_by(otherwise, decl, &slot));
                slot.value = draft_named(decl, slot.path, value);
                draft_add(&merged, slot);
            }
        }
    }
    set_slots(decl, &merged);
}

void draft_branch_merge(const draft_state *then, const draft_state *otherwise,
                        draft_amount *condition)
{
    draft_decls decls = {0};
    for (size_t i = 0; i < then->decls.count; i++) {
        draft_add_once(&decls, then->decls.items[i]);
    }
    for (size_t i = 0; i < otherwise->decls.count; i++) {
        draft_add_once(&decls, otherwise->decls.items[i]);
    }
    for (size_t i = 0; i < decls.count; i++) {
        draft_decl *decl = decls.items[i];
        merge_variable(decl, condition, slots_at_end(then, decl), slots_at_end(otherwise, decl));
    }
}

void draft_branch_redo(const draft_state *branch)
{
    for (size_t i = 0; i < branch->decls.count; i++) {
        set_slots(branch->decls.items[i], &branch->slots[i]);
    }
}
