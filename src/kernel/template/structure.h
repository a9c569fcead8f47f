/* Reads those structs in the code of a template that are types of its arguments. */
#pragma once

#include "kernel/template/parse.h"

enum { GT_STRUCTURE_MEMBERS = 64, GT_MEMBER_VALUES = 16 };

typedef struct gt_structure_member {
    char name[GT_NAME_MAX], type[GT_NAME_MAX]; /* `name` is empty for a base class */
    gt_dimensions extents; /* constant extents of an array; count 0: not an array */
    /* default values of the first elements; all later elements have the last value */
    const gt_expression *values[GT_MEMBER_VALUES + 1];
    uint32_t value_count;
    uint32_t alignment; /* bytes in alignas(); 0: the alignment of the type */
    bool is_pointer;    /* true for a pointer to `type`; `type` is "" for a pointer to a pointer */
    bool is_private;    /* true if other code cannot use the member */
} gt_structure_member;

/* A struct, or a name that stands for another type (typedef, using, enum). */
typedef struct gt_structure {
    char name[GT_NAME_MAX];   /* name including its C++ template arguments: "vec<float,4>" */
    size_t own;               /* length of the namespaces at the beginning of `name` */
    char scope[GT_ENTRY_MAX]; /* namespaces in which it is defined: "", "a", "a::b" */
    char alias[GT_NAME_MAX];  /* type for which a typedef stands; "" for a struct */
    gt_structure_member *members;
    uint32_t member_count;
    uint32_t alignment; /* bytes in alignas(); 0: the largest alignment of a member */
    bool is_private;    /* true if code outside of the enclosing struct cannot use it */
} gt_structure;

/* Sets *out to the struct or typedef `name` in the code, or to NULL if there is none. The template
 * owns it. ETEMPLATE, with the position, if the layout is not supported (unions, bit-fields,
 * virtual base classes, templates without arguments). */
gputune_status gt_structure_find(const gt_structure **out, gt_parse *p, const char *name);
/* Returns a struct that gt_structure_find() has already found, or NULL. */
const gt_structure *gt_structure_of(const gt_template *template, const char *name);
/* Returns the pointer with a path such as "grid.x" in a struct of this type, or NULL. */
const gt_structure_member *gt_structure_pointer(const gt_template *template, const char *type,
                                                const char *path);
