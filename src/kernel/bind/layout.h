/* Layouts of structs. Every generated source asserts that the compiler's layouts are the same. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/template/structure.h"

enum { GT_LEAF_MAX = 256 };

/* A number or an address in an element: "pos.x", "m[2][0]". */
typedef struct gt_leaf {
    char name[GT_NAME_MAX];
    gt_type type;
    uint32_t offset;            /* offset in bytes from the element's beginning */
    const gt_expression *value; /* default value in the code, or NULL */
    bool is_pointer;
} gt_leaf;

/* An element's numbers and addresses, in the order of memory. */
typedef struct gt_layout {
    uint32_t bytes, alignment, count;
    gt_leaf leaves[GT_LEAF_MAX];
} gt_layout;

/* Lays out an element of a type. An element of a number type has one leaf, without a name.
 * ETEMPLATE if there are too many leaves, or for an extent below 1. The caller frees *out, even
 * after a failure. */
gputune_status gt_layout_make(gt_layout **out, const gt_binding *binding, const char *name);
/* Returns true if a path names the leaf, or a part of the element that contains the leaf. A path is
 * the name of a leaf, in which #k may replace the part at position k: "pos.x", "pos#0", "#1.x",
 * "m#2[0]". */
bool gt_leaf_is_within(const gt_layout *layout, uint32_t leaf, const char *path);
/* Appends assertions of the layouts of all structs. */
gputune_status gt_structures_assert(gt_text *out, const gt_binding *binding);
