/* Memory layouts of structs. Every generated source asserts that the compiler agrees. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/template/structure.h"

enum { GT_LEAF_MAX = 256 };

/* A number or a pointer in a struct, such as "pos.x" or "m[2][0]". */
typedef struct gt_leaf {
    char name[GT_NAME_MAX];
    gt_type type;
    uint32_t offset;            /* offset in bytes from the start of the element */
    const gt_expression *value; /* default value that the code states, or NULL */
    bool is_pointer;
} gt_leaf;

/* All numbers and pointers of an element, in the order of their addresses. */
typedef struct gt_layout {
    uint32_t bytes, alignment, count;
    gt_leaf leaves[GT_LEAF_MAX];
} gt_layout;

/* Computes the layout of a type. A number type has one leaf, whose name is empty. ETEMPLATE for too
 * many leaves, or for an extent below 1. The caller must free *out even after a failure. */
gputune_status gt_layout_make(gt_layout **out, const gt_binding *binding, const char *name);
/* Returns true if a path names the leaf, or a member that contains the leaf. A path may use #k for
 * the member or array element at index k: "pos.x", "pos#0", "#1.x", "m#2[0]". */
bool gt_leaf_is_within(const gt_layout *layout, uint32_t leaf, const char *path);
/* Appends assertions that the compiler lays out all structs as gputune does. */
gputune_status gt_structures_assert(gt_text *out, const gt_binding *binding);
