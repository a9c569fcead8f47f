/* Reads the structs of a template's code that are types of its arguments. */
#pragma once

#include "kernel/template/parse.h"

enum { GT_STRUCTURE_MEMBERS = 64, GT_MEMBER_VALUES = 16 };

typedef struct gt_structure_member {
    char name[GT_NAME_MAX], type[GT_NAME_MAX]; /* `name` is "" for a base class */
    gt_dimensions extents; /* constant extents of an array; count 0: not an array */
    /* default values of the first elements; the last value repeats */
    const gt_expression *values[GT_MEMBER_VALUES + 1];
    uint32_t value_count;
    uint32_t alignment; /* value of alignas in bytes; 0: the type's alignment */
    bool is_pointer;    /* true for a pointer to `type`; `type` is "" if unknown */
    bool is_private;    /* true for a private member, which other code cannot name */
} gt_structure_member;

/* A struct, or another name for a type: a typedef, a using, or an enum. */
typedef struct gt_structure {
    char name[GT_NAME_MAX];   /* name with C++ template arguments: "vec<float,4>" */
    char scope[GT_ENTRY_MAX]; /* namespaces of the definition: "", "a", "a::b" */
    char alias[GT_NAME_MAX];  /* type that a typedef stands for; "" for a struct */
    gt_structure_member *members;
    uint32_t member_count;
    uint32_t alignment; /* value of alignas in bytes; 0: the largest alignment of a member */
} gt_structure;

/* Sets *out to the struct or typedef `name` of the code, which the template owns, or to NULL if
 * there is none. ETEMPLATE with the place for an unsupported layout (unions, bit-fields, virtual
 * base classes, templates without arguments). */
gputune_status gt_structure_find(const gt_structure **out, gt_parse *p, const char *name);
/* Returns a struct that gt_structure_find() already found, or NULL. */
const gt_structure *gt_structure_of(const gt_template *template, const char *name);
/* Returns the pointer at a path such as "grid.x" in a struct of this type, or NULL. */
const gt_structure_member *gt_structure_pointer(const gt_template *template, const char *type,
                                                const char *path);
