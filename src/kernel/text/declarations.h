/* Finds the declarations in CUDA code, and the names that each of them declares and uses. */
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
    GT_PIECE_MACRO /* a macro that expands to several declarations, or to none */
} gt_piece_kind;

/* The ways in which a declaration uses a name, as bits. */
enum {
    GT_READ_CALL = 1,   /* as in NAME( or NAME<, or as an operator such as << */
    GT_READ_PLAIN = 2,  /* any other way */
    GT_READ_MEMBER = 4, /* after '.' or '->' */
    GT_READ_OWN = 8     /* the declaration's own parameter or local variable */
};

typedef struct gt_piece_read {
    uint32_t id;
    uint8_t ways;
} gt_piece_read;

/* A declaration outside of all functions. Member functions and static variables of a class are
 * separate declarations. Positions are token indices. */
typedef struct gt_piece {
    gt_piece_kind kind;
    size_t begin, end;
    size_t body_begin, body_end; /* range between the braces of a class */
    size_t first_key, keys;      /* range of gt_declarations.keys with the declared names */
    size_t first_read, reads;    /* range of gt_declarations.reads with the names that are used */
    size_t first_named, named;   /* range of gt_declarations.keys with the names in a signature */
    int parent;                  /* for a member: index of its class in `items`; otherwise -1 */
    uint32_t owner;   /* id of the name before `::`, such as A in `A::f() { … }`, or 0 */
    bool is_torn;     /* true if an #if contains only one bracket of a pair */
    bool is_marked;   /* true for device code, marked by a word such as __global__ or __device__ */
    bool is_constant; /* true for constants, constexpr functions, and types */
    bool is_host;     /* true if marked __host__ */
    uint32_t space;   /* 1 + index of the enclosing namespace in `spaces`, or 0 for none */
    bool is_operator, is_special; /* is_special: true for an operator or a destructor */
    bool is_virtual, has_body, is_defaulted;
    bool is_foreign; /* true if the signature contains a qualified name, such as std::ostream */
} gt_piece;

typedef struct gt_space {
    uint32_t name;  /* id; 0 if unnamed or inline, as its members need no qualification */
    uint32_t outer; /* like gt_piece.space */
} gt_space;

typedef struct gt_declarations {
    gt_macros macros; /* the macros that are defined where the text ends */
    gt_word_list words;
    GT_ARRAY(gt_piece) items; /* declarations in the order of the text, members after their class */
    GT_ARRAY(uint32_t) keys;
    GT_ARRAY(gt_piece_read) reads;
    GT_ARRAY(gt_space) spaces; /* the namespaces; one for each name in `namespace a::b {` */
} gt_declarations;

/* Finds the declarations of `text`, also inside of namespaces and extern "C". `text` should have no
 * disabled #if branches (gt_branches_cut()). *out points into `text`. May return ENOMEM. */
gputune_status gt_declarations_find(gt_declarations *out, const char *text);
/* Returns the index of the > that closes the < at `at`. If the < is a comparison, returns `at`. */
size_t gt_word_close_angles(const gt_word *words, size_t count, size_t at);
/* Skips every `template <…> requires …` at index `i`, and returns the index of the next token. */
size_t gt_word_skip_templates(const gt_word *words, size_t count, size_t i);
/* Returns the index of the first declaration of a name at or after `from`, or items.count. */
size_t gt_piece_find(const gt_declarations *declarations, size_t from, uint32_t id);
void gt_declarations_free(gt_declarations *declarations);
