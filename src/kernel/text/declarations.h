/* The declarations of CUDA text, found by its tokens: what each declares, and what it reads. */
#pragma once

#include "kernel/text/macros.h"

typedef enum gt_piece_kind {
    GT_PIECE_OTHER,     /* what cannot be told */
    GT_PIECE_EMPTY,     /* a macro that stands for nothing */
    GT_PIECE_FUNCTION,  /* declared or defined */
    GT_PIECE_TYPE,      /* a class, an enum or a typedef */
    GT_PIECE_ALIAS,     /* using NAME …; namespace NAME = …; */
    GT_PIECE_USING,     /* using namespace …; */
    GT_PIECE_ASSERTION, /* static_assert */
    GT_PIECE_INSTANCE,  /* template …<…>(…); */
    GT_PIECE_VARIABLE,
    GT_PIECE_MACRO /* a use of a macro that makes several declarations */
} gt_piece_kind;

/* How a piece reads a name, as bits. */
enum {
    GT_READ_CALL = 1,     /* NAME( or NAME< */
    GT_READ_PLAIN = 2,    /* any other use */
    GT_READ_MEMBER = 4,   /* behind '.' or '->' */
    GT_READ_OWN_CALL = 8, /* the first two, of a name that the piece declares itself */
    GT_READ_OWN_PLAIN = 16
};

typedef struct gt_piece_read {
    uint32_t id;
    uint8_t ways;
} gt_piece_read;

/* One declaration outside of functions, or one function of a class. Places are indices of words. */
typedef struct gt_piece {
    gt_piece_kind kind;
    size_t begin, end;
    size_t body_begin, body_end;  /* of a class, between its braces */
    size_t first_key, keys;       /* the names that it declares (gt_declarations.keys) */
    size_t first_read, reads;     /* (gt_declarations.reads) */
    size_t first_named, named;    /* the names in a function's signature (….keys) */
    int parent;                   /* the class that it is a function of; -1: none */
    uint32_t owner;               /* A of `A::f() { … }`; 0: none */
    bool is_torn;                 /* #if and brackets do not pair */
    bool is_kernel, is_marked;    /* __global__; it or another mark of device code */
    bool is_constant;             /* const, constexpr, or a type */
    bool is_host;                 /* __host__ */
    bool is_operator, is_special; /* operator …; it or a destructor */
    bool is_virtual, has_body, is_defaulted;
    bool is_foreign; /* the signature names a scope that the text does not declare */
} gt_piece;

typedef struct gt_declarations {
    gt_macros macros; /* at the end of the text */
    gt_word_list words;
    GT_ARRAY(gt_piece) items; /* the functions of a class follow it */
    GT_ARRAY(uint32_t) keys;
    GT_ARRAY(gt_piece_read) reads;
} gt_declarations;

/* Finds the declarations of `text`, which *out points into, also in namespaces and extern "C".
 * Lines that #if surely leave out should be blanked (gt_branches_cut()). ENOMEM. */
gputune_status gt_declarations_find(gt_declarations *out, const char *text);
/* The index of the > that closes the < at `at`; `at` itself: it is a comparison. */
size_t gt_word_close_angles(const gt_word *words, size_t count, size_t at);
void gt_declarations_free(gt_declarations *declarations);
