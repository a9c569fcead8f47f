/* Structs that a template's own code declares and its arguments use. They are read from the text
 * and laid out as the compiler does it; every generated source asserts that the layout is right. */
#pragma once

#include "kernel/binding.h"
#include "kernel/parse.h"

enum { GT_STRUCTURE_MEMBERS = 64, GT_LEAF_MAX = 256, GT_MEMBER_VALUES = 16 };

/* One declared member. */
typedef struct gt_structure_member {
    char name[GT_NAME_MAX], type[GT_NAME_MAX]; /* of a base class, no name and its type */
    gt_dimensions extents; /* constant expressions; count 0: the member is no array */
    /* The values that the code gives: one for a number, or those of an array's first elements, the
     * last of which is for all elements behind it. */
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

/* Finds the definition of the struct or typedef `name` in the template's code and keeps it in the
 * template; a definition that is kept already is found again. *out, which the template owns, is
 * NULL if the code has no such struct. ETEMPLATE, with the place, for a struct that cannot be laid
 * out (unions, bit-fields, virtual base classes, templates without arguments). */
gputune_status gt_structure_find(const gt_structure **out, gt_parse *p, const char *name);
/* The structure of this name among those that gt_structure_find() has found, or NULL. */
const gt_structure *gt_structure_of(const gt_template *template, const char *name);
/* The pointer that `path` ("grid.x") names in a struct of this type; NULL: there is none. */
const gt_structure_member *gt_structure_pointer(const gt_template *template, const char *type,
                                                const char *path);
/* Lays out an element of the type `name` at the binding's problem. An element of a number type has
 * one number, without a name. ETEMPLATE for more than GT_LEAF_MAX numbers or an extent below 1.
 * The caller frees *out, whatever the status. */
gputune_status gt_layout_make(gt_layout **out, const gt_binding *binding, const char *name);
/* Whether the number at index `leaf` is what the path names, or a part of it. A path is written
 * like a leaf's name, but #k may stand for the name of the part at place k: "pos.x", "pos#0",
 * "#1.x", "m#2[0]". */
bool gt_leaf_is_within(const gt_layout *layout, uint32_t leaf, const char *path);
/* Appends assertions, with which a source does not compile if the compiler lays out one of the
 * template's structs differently. */
gputune_status gt_structures_assert(gt_text *out, const gt_binding *binding);
/* Appends the members of the struct `name` with their offsets, for a message: "alpha at 0, n at 8".
 */
void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name);
