/* Structs that a template's own code declares and its arguments use, read from the text. */
#pragma once

#include "kernel/template/parse.h"

enum { GT_STRUCTURE_MEMBERS = 64, GT_MEMBER_VALUES = 16 };

/* One declared member. */
typedef struct gt_structure_member {
    char name[GT_NAME_MAX], type[GT_NAME_MAX]; /* for a base class: no name, and its type */
    gt_dimensions extents; /* constant expressions; count 0: the member is no array */
    /* by the code: of a number, or an array's first, the last for the rest */
    const gt_expression *values[GT_MEMBER_VALUES + 1];
    uint32_t value_count;
    uint32_t alignment; /* bytes of its alignas; 0: the type's alignment */
    bool is_pointer;    /* a pointer to `type`, or if `type` is "" to an unknown type */
    bool is_private;    /* no other code may name the member */
} gt_structure_member;

/* A struct, or another name of a type (typedef, using, or an enum of its underlying type). */
typedef struct gt_structure {
    char name[GT_NAME_MAX];  /* of a C++ template with its arguments: "vec<float,4>" */
    char alias[GT_NAME_MAX]; /* the type that `name` is another name of; "": this is a struct */
    gt_structure_member *members;
    uint32_t member_count;
    uint32_t alignment; /* bytes of its alignas; 0: the members' largest alignment */
} gt_structure;

/* Finds the struct or typedef `name` in the code, and keeps it in the template, which owns *out;
 * NULL: there is none. ETEMPLATE, with the place, for one that cannot be laid out (unions,
 * bit-fields, virtual base classes, templates without arguments). */
gputune_status gt_structure_find(const gt_structure **out, gt_parse *p, const char *name);
/* The structure of this name among those that gt_structure_find() has found, or NULL. */
const gt_structure *gt_structure_of(const gt_template *template, const char *name);
/* The pointer that `path` ("grid.x") names in a struct of this type; NULL: there is none. */
const gt_structure_member *gt_structure_pointer(const gt_template *template, const char *type,
                                                const char *path);
