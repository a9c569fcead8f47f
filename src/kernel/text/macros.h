/* Splits a text into words, which are tokens with a numeric id, and expands its macros. */
#pragma once

#include "kernel/text/branches.h"

#include "base/array.h"
#include "base/hash_index.h"
#include "base/text.h"

/* The words of C++ and CUDA that are needed to find declarations, as X(NAME, spelling). The id of
 * each word is GT_IS_NAME. */
#define GT_FIXED_WORDS(X)                                                                          \
    X(OPEN_BRACE, "{"), X(CLOSE_BRACE, "}"), X(OPEN_PAREN, "("), X(CLOSE_PAREN, ")"),              \
        X(OPEN_BRACKET, "["), X(CLOSE_BRACKET, "]"), X(LESS, "<"), X(GREATER, ">"),                \
        X(GREATER2, ">>"), X(SEMICOLON, ";"), X(COMMA, ","), X(COLON, ":"), X(SCOPE, "::"),        \
        X(EQUAL, "="), X(STAR, "*"), X(AND, "&"), X(AND2, "&&"), X(OR2, "||"), X(NOT, "!"),        \
        X(TILDE, "~"), X(DOT, "."), X(ARROW, "->"), X(HASH, "#"), X(PASTE, "##"),                  \
        X(TEMPLATE, "template"), X(REQUIRES, "requires"), X(STRUCT, "struct"), X(CLASS, "class"),  \
        X(UNION, "union"), X(ENUM, "enum"), X(NAMESPACE, "namespace"), X(EXTERN, "extern"),        \
        X(INLINE, "inline"), X(USING, "using"), X(TYPEDEF, "typedef"), X(OPERATOR, "operator"),    \
        X(STATIC_ASSERT, "static_assert"), X(C_ASSERT, "_Static_assert"), X(ASM, "asm"),           \
        X(GNU_ASM, "__asm__"), X(CONST, "const"), X(CONSTEXPR, "constexpr"),                       \
        X(CONSTEVAL, "consteval"), X(VIRTUAL, "virtual"), X(PUBLIC, "public"),                     \
        X(PRIVATE, "private"), X(PROTECTED, "protected"), X(ALIGNAS, "alignas"),                   \
        X(DECLTYPE, "decltype"), X(NOEXCEPT, "noexcept"), X(EXPLICIT, "explicit"),                 \
        X(FINAL, "final"), X(DEFAULT, "default"), X(DELETE, "delete"), X(GLOBAL, "__global__"),    \
        X(DEVICE, "__device__"), X(CONSTANT, "__constant__"), X(MANAGED, "__managed__"),           \
        X(HOST, "__host__"), X(RETURN, "return"), X(ELSE, "else"), X(CASE, "case"), X(DO, "do"),   \
        X(GOTO, "goto"), X(THROW, "throw"), X(NEW, "new"), X(SIZEOF, "sizeof"),                    \
        X(TYPENAME, "typename"), X(STATIC, "static"), X(VOLATILE, "volatile"),                     \
        X(REGISTER, "register"), X(IF, "if"), X(WHILE, "while"), X(FOR, "for"),                    \
        X(SWITCH, "switch"), X(FRIEND, "friend"), X(MUTABLE, "mutable"),                           \
        X(RESTRICT, "__restrict__"), X(IF_LINE, "#if"), X(ELSE_LINE, "#else"),                     \
        X(ENDIF_LINE, "#endif")

typedef enum gt_word_id {
    GT_IS_NOTHING,
#define NUMBER(name, spelling) GT_IS_##name
    GT_FIXED_WORDS(NUMBER),
#undef NUMBER
    GT_WORDS_FIXED
} gt_word_id;

/* A token and its id. Tokens with the same spelling have the same id. The id of the '#' of a
 * directive is GT_IS_IF_LINE, GT_IS_ELSE_LINE, GT_IS_ENDIF_LINE, or 0 for other directives. */
typedef struct gt_word {
    gt_token token;
    uint32_t id;
} gt_word;

typedef GT_ARRAY(gt_word) gt_word_list;

/* A macro. gt_macros.texts contains the words of its parameters and then the words of its body. */
typedef struct gt_macro {
    uint32_t name;   /* id of the name */
    uint32_t before; /* if this is in an #if, 1 + index of the previous definition, otherwise 0 */
    size_t first;
    uint32_t parameters, words;
    bool is_function, is_variadic;
} gt_macro;

/* The macros that are defined at some position of a text. */
typedef struct gt_macros {
    const char *text; /* the whole text, which must not be freed before the macros */
    gt_hash_index index;
    uint32_t ids; /* number of ids, including the id 0 */
    gt_word_list texts;
    GT_ARRAY(gt_macro) items;   /* all macros that were ever defined, even if undefined later */
    GT_ARRAY(uint32_t) of_name; /* for each id, 1 + index of its macro, or 0 for none */
    GT_ARRAY(uint32_t) lasts;   /* for each id, 1 + index of its last definition, or 0 for none */
    gt_texts made;              /* spellings of the words that ## has produced */
    unsigned conditionals;      /* number of #if directives that are open at this position */
    uint32_t budget;            /* number of words that the current expansion may still produce */
    bool failed;                /* true if an allocation failed */
} gt_macros;

void gt_macros_open(gt_macros *macros, const char *text);
void gt_macros_free(gt_macros *macros);
/* Splits a text into words and appends them. Only the '#' of a directive becomes a word. */
void gt_words_split(gt_word_list *out, gt_macros *macros, gt_lexer lexer);
/* Updates the macros if the directive is a #define or #undef. If the branches of an #if define a
 * macro differently, the first definition is used. */
void gt_macros_directive(gt_macros *macros, const gt_word *directive);
/* Returns the id of a name, or 0 if the name does not occur in the text. */
uint32_t gt_macros_id(const gt_macros *macros, const char *name, size_t length);
/* Returns the macro with this name, or NULL if the name is not a macro. */
const gt_macro *gt_macro_of(const gt_macros *macros, uint32_t id);
/* Iterates over the definitions of a name that may apply, from the last one back to the first one
 * that is not in an #if. Ignores #undef. Returns the last definition if `macro` is NULL, otherwise
 * the one before `macro`; NULL if there are no more. */
const gt_macro *gt_macro_before(const gt_macros *macros, uint32_t id, const gt_macro *macro);
const gt_word *gt_macro_words(const gt_macros *macros, const gt_macro *macro);
/* Appends `words` without directives, and expands their macros. Stops expanding after about `most`
 * words were added. */
void gt_macros_expand(gt_word_list *out, gt_macros *macros, const gt_word *words, size_t count,
                      uint32_t most);
/* If a macro is used at index `at`, returns how many words its name and arguments have. Otherwise
 * returns 0. */
size_t gt_macro_use(const gt_macros *macros, const gt_word *words, size_t count, size_t at);

/* Expands macros in the declarations of kernels: a macro whose expansion contains __global__, as in
 * `KERNEL void k(…)` or `DEFINE_KERNEL(k, +)`, or begins with `template`; and any macro between
 * __global__ and the kernel's body. Macros whose definition is not certain are kept. `read` is
 * `text` with disabled #if branches blanked. Line numbers do not change. May return ENOMEM. */
gputune_status gt_kernel_macros_expand(gt_text *text, const char *read, gt_meaning_fn meaning,
                                       const void *user);

/* Returns 1 for an opening bracket, -1 for a closing bracket, and 0 for other words. */
int gt_word_nesting(const gt_word *word);
/* Returns the index of the first word in [from, to) with this id, or `to` if there is none. */
size_t gt_word_find(const gt_word *words, size_t from, size_t to, uint32_t id);
/* Returns the index of the bracket that closes the bracket at `at`, or count - 1 if it is not
 * closed. Reads only the first branch of an #if. */
size_t gt_word_close(const gt_word *words, size_t count, size_t at);
/* Returns 1 for an #if, -1 for an #endif, and 0 for other words. */
static inline int gt_word_opens(const gt_word *word)
{
    return (word->id == GT_IS_IF_LINE) - (word->id == GT_IS_ENDIF_LINE);
}
static inline bool gt_word_is_name(const gt_word *word)
{
    return word->token.kind == GT_TOKEN_NAME;
}
