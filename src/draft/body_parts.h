/* What the files that follow a kernel's code share (body.c). */
#pragma once

#include "draft/parts.h"

typedef GT_ARRAY(draft_decl *) draft_decls;

/* The place in the code. */
typedef struct draft_reader {
    draft_kernel_facts *out;
    draft_facts facts; /* that hold here */
    unsigned unsure;   /* enclosing conditions on data */
    unsigned calls;    /* how deep */
    int steps;
    draft_spot object; /* what `this` points to */
    draft_amount *returned;
    bool ended; /* too long; the rest is not followed */
} draft_reader;
extern draft_reader draft_now;

typedef struct draft_state {
    draft_decls decls;
    GT_ARRAY(draft_slot) * slots;
} draft_state;

typedef struct draft_loop {
    draft_node *condition, *step, *body;
} draft_loop;

/* The value of what is no integer that is followed. */
draft_amount *draft_nothing(void);
/* Adds a question about that place in the code, once. */
void draft_ask_at(cx_cursor at, const char *what);
/* Runs a statement; true: nothing behind it in its block is reached. */
bool draft_run(draft_node *node);
draft_amount *draft_eval(draft_node *node);
draft_symbol *draft_new_symbol(draft_symbol_kind kind, const char *name);
draft_amount *draft_changing(const char *name);
/* A variable's value: a symbol of its own where it is more than a symbol or a number. */
draft_amount *draft_local(const char *name, draft_amount *value);
void draft_note_access(const draft_spot *spot, cx_type type, cx_cursor at, bool read, bool written);
/* Memory that is the block's or the thread's own. */
draft_spot draft_own_memory(void);
draft_amount *draft_loaded(const draft_spot *spot);
draft_slot *draft_find_slot(draft_decl *decl, const char *path);
void draft_set_slot(draft_decl *decl, const char *path, draft_amount *value);
bool draft_is_pointer(cx_type type);
bool draft_is_array(cx_type type);
bool draft_is_reference(cx_type type);
draft_amount *draft_read_variable(const draft_spot *spot, cx_type type, draft_node *node);
draft_amount *draft_read_place(const draft_spot *spot, draft_node *node);
void draft_write_place(const draft_spot *spot, draft_node *node, draft_amount *value, bool read);
draft_spot draft_pointed(draft_amount *pointer);
/* The place `bytes` behind, and of all that may be meant instead. */
draft_spot draft_moved(const draft_spot *spot, draft_amount *bytes);
int64_t draft_size_of(cx_type type);
draft_spot draft_member_place(draft_node *node);
draft_spot draft_variable_place(draft_decl *decl);
draft_spot draft_spot_of(draft_node *node);
/* Evaluates without noting accesses again. */
draft_amount *draft_quietly(draft_node *node);
void draft_assume(draft_node *node, bool holds);
/* Whether a condition's value depends on data. */
bool draft_is_unsure(draft_amount *condition);
draft_decl *draft_base_variable(draft_node *node);
void draft_find_changed(draft_decls *out, draft_node *node);
/* What `x += b` and the like do to x. */
int draft_compound_operation(const draft_node *node);
/* What the variables hold, for when the code goes another way. */
draft_state draft_save(const draft_decls *decls);
void draft_restore(const draft_state *s);
draft_amount *draft_either(const char *name, draft_amount *a, draft_amount *b);
/* The variables hold what they do now, or what they held in `other`. */
void draft_merge(const draft_state *other);
void draft_run_loop(const draft_loop *l, bool checks_first);
/* The parts of a for: libclang leaves out the empty ones. */
void draft_run_for(draft_node *node);
