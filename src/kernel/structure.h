/* Structs that a template's own code declares and its arguments use: read from the text, and laid
 * out as the compiler lays them out, which every generated source asserts. */
#pragma once

#include "kernel/binding.h"
#include "kernel/parse.h"

enum { GT_STRUCTURE_MEMBERS = 64, GT_LEAF_MAX = 256, GT_MEMBER_VALUES = 16 };

/* One declared member. */
typedef struct gt_structure_member {
    char name[GT_NAME_MAX], type[GT_NAME_MAX];
    gt_dimensions extents; /* of constants; none: no array */
    /* by the code: of a number, or of an array's first elements, the last for all behind them */
    gt_expression *values[GT_MEMBER_VALUES + 1];
    uint32_t value_count;
    uint32_t alignment; /* by alignas; 0: the type's */
    bool is_pointer;    /* to the type, if its name is one; else `type` is "" */
} gt_structure_member;

/* A struct, or another name of a type (typedef, using). */
typedef struct gt_structure {
    char name[GT_NAME_MAX];
    char alias[GT_NAME_MAX]; /* the type that it is another name of, or "" */
    gt_structure_member *members;
    uint32_t member_count;
    uint32_t alignment; /* by alignas; 0: the members' */
} gt_structure;

/* One number of an element: "pos.x", "m[2][0]"; or an address. */
typedef struct gt_leaf {
    char name[GT_NAME_MAX];
    gt_type type;
    uint32_t offset;            /* bytes from the beginning of the element */
    const gt_expression *value; /* by the code; NULL: none */
    bool is_pointer;
} gt_leaf;

/* All numbers of an element in memory order. */
typedef struct gt_layout {
    uint32_t bytes, alignment, count;
    gt_leaf leaves[GT_LEAF_MAX];
} gt_layout;

/* Finds the definition of `name` in the template's code and keeps it in the template; one that is
 * kept already is found again. *out is NULL where there is none. ETEMPLATE for one that cannot be
 * laid out (unions, bit-fields, base classes, templates), with its place. */
gputune_status gt_structure_find(const gt_structure **out, gt_parse *parse, const char *name);
/* The structure of that name among those found, or NULL. */
const gt_structure *gt_structure_of(const gt_template *template, const char *name);
/* The pointer in a struct of that type which a path names, "grid.x"; NULL: there is none. */
const gt_structure_member *gt_structure_pointer(const gt_template *template, const char *type,
                                                const char *path);
/* The numbers of an element of the type `name` (of a number type: one, without a name) at the
 * binding's problem. ETEMPLATE for more than GT_LEAF_MAX numbers or an extent below 1. */
gputune_status gt_layout_make(gt_layout *out, const gt_binding *binding, const char *name);
/* Whether a number is what the path names, or a part of it. A path is written as a leaf's name,
 * where #k may stand for the name of the part at place k: "pos.x", "pos#0", "#1.x", "m#2[0]". */
bool gt_leaf_is_within(const gt_layout *layout, uint32_t leaf, const char *path);
/* Appends what makes a source fail to compile where the compiler lays one of the template's structs
 * out otherwise. */
gputune_status gt_structures_assert(gt_text *out, const gt_binding *binding);
/* "alpha at 0, n at 8": the members of the struct `name`, for a message. */
void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name);
void gt_structures_free(gt_template_parts *parts);
