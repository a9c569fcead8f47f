/* Lays structs out as the compiler does, which every source asserts. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/template/structure.h"

enum { GT_LEAF_MAX = 256 };

/* One number of an element: "pos.x", "m[2][0]"; or an address. */
typedef struct gt_leaf {
    char name[GT_NAME_MAX];
    gt_type type;
    uint32_t offset;            /* bytes from the beginning of the element */
    const gt_expression *value; /* the value that the code gives; NULL: none */
    bool is_pointer;
} gt_leaf;

/* All numbers of an element, in the order of memory. */
typedef struct gt_layout {
    uint32_t bytes, alignment, count;
    gt_leaf leaves[GT_LEAF_MAX];
} gt_layout;

/* Lays out an element of the type `name`; of a number type it has one number, without a name.
 * ETEMPLATE for too many numbers or an extent below 1. The caller frees *out in any case. */
gputune_status gt_layout_make(gt_layout **out, const gt_binding *binding, const char *name);
/* Returns whether the path names the number, or a part around it. It is written like a leaf's name,
 * but #k is the part at position k: "pos.x", "pos#0", "#1.x", "m#2[0]". */
bool gt_leaf_is_within(const gt_layout *layout, uint32_t leaf, const char *path);
/* Appends assertions that the compiler lays out all structs of the template in this way. */
gputune_status gt_structures_assert(gt_text *out, const gt_binding *binding);
