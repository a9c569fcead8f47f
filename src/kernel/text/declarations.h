/* Finds the declarations in CUDA text, and the names that each one declares and uses. */
#pragma once

#include "kernel/text/macros.h"

typedef enum gt_piece_kind {
    GT_PIECE_OTHER,     /* a declaration that could not be classified */
    GT_PIECE_FUNCTION,  /* a function declaration or definition */
    GT_PIECE_TYPE,      /* a class, an enum or a typedef */
    GT_PIECE_ALIAS,     /* using NAME …; namespace NAME = …; */
    GT_PIECE_USING,     /* using namespace …; */
    GT_PIECE_ASSERTION, /* static_assert */
    GT_PIECE_INSTANCE,  /* template …<…>(…); */
    GT_PIECE_VARIABLE,
    GT_PIECE_MACRO /* a macro that makes several declarations, or none */
} gt_piece_kind;

/* How a declaration uses a name, as bits. */
enum {
    GT_READ_CALL = 1,   /* as in NAME( or NAME< */
    GT_READ_PLAIN = 2,  /* any other way */
    GT_READ_MEMBER = 4, /* after '.' or '->' */
    GT_READ_OWN = 8     /* the name of a parameter or local variable of the declaration */
};

typedef struct gt_piece_read {
    uint32_t id;
    uint8_t ways;
} gt_piece_read;

/* One declaration outside of functions, a member function or a static variable of a class.
 * Positions are token indices. */
typedef struct gt_piece {
    gt_piece_kind kind;
    size_t begin, end;
    size_t body_begin, body_end; /* between the braces of a class */
    size_t first_key, keys;      /* declared names, in gt_declarations.keys */
    size_t first_read, reads;    /* names that the declaration uses, in gt_declarations.reads */
    size_t first_named, named;   /* names in a function's signature, in gt_declarations.keys */
    int parent;                  /* index of the class of a member, or -1 for none */
    uint32_t owner;              /* owner, such as A in `A::f() { … }`, or 0 */
    bool is_torn;                /* true if an #if splits a pair of brackets */
    bool is_marked;   /* true if marked as device code, for example by __global__ or __device__ */
    bool is_constant; /* true for const, constexpr, and types */
    bool is_host;     /* true if marked __host__ */
    bool is_in_namespace;
    bool is_operator, is_special; /* is_special: an operator or a destructor */
    bool is_virtual, has_body, is_defaulted;
    bool is_foreign; /* true if the signature has a qualified name, such as std::ostream */
} gt_piece;

typedef struct gt_declarations {
    gt_macros macros; /* the macros that are defined at the end of the text */
    gt_word_list words;
    GT_ARRAY(gt_piece) items; /* in text order; a class precedes its members */
    GT_ARRAY(uint32_t) keys;
    GT_ARRAY(gt_piece_read) reads;
} gt_declarations;

/* Finds the declarations of `text`, including those in namespaces and extern "C". *out points into
 * the text. Disabled #if branches should be blanked first (gt_branches_cut()). ENOMEM. */
gputune_status gt_declarations_find(gt_declarations *out, const char *text);
/* Returns the index of the > that closes the < at `at`, or `at` if the < is a comparison. */
size_t gt_word_close_angles(const gt_word *words, size_t count, size_t at);
/* Returns the index after all `template <…> requires …` that begin at `i`. */
size_t gt_word_skip_templates(const gt_word *words, size_t count, size_t i);
/* Returns the index of the first declaration of a name, at or after `from`, or items.count. */
size_t gt_piece_find(const gt_declarations *declarations, size_t from, uint32_t id);
void gt_declarations_free(gt_declarations *declarations);
