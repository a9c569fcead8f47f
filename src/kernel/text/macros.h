/* The words of a text, its macros, and what they stand for. */
#pragma once

#include "kernel/text/lexer.h"

#include "base/array.h"
#include "base/hash_index.h"
#include "base/text.h"

/* clang-format off: words of C++ and CUDA that the grammar of declarations needs */
typedef enum gt_word_id {
    GT_IS_NOTHING,
    GT_IS_OPEN_BRACE,
    GT_IS_CLOSE_BRACE,
    GT_IS_OPEN_PAREN,
    GT_IS_CLOSE_PAREN,
    GT_IS_OPEN_BRACKET,
    GT_IS_CLOSE_BRACKET,
    GT_IS_LESS,
    GT_IS_GREATER,
    GT_IS_GREATER2,
    GT_IS_SEMICOLON,
    GT_IS_COMMA,
    GT_IS_COLON,
    GT_IS_SCOPE,
    GT_IS_EQUAL,
    GT_IS_STAR,
    GT_IS_AND,
    GT_IS_AND2,
    GT_IS_OR2,
    GT_IS_NOT,
    GT_IS_TILDE,
    GT_IS_DOT,
    GT_IS_ARROW,
    GT_IS_HASH,
    GT_IS_PASTE,
    GT_IS_TEMPLATE,
    GT_IS_REQUIRES,
    GT_IS_STRUCT,
    GT_IS_CLASS,
    GT_IS_UNION,
    GT_IS_ENUM,
    GT_IS_NAMESPACE,
    GT_IS_EXTERN,
    GT_IS_INLINE,
    GT_IS_USING,
    GT_IS_TYPEDEF,
    GT_IS_OPERATOR,
    GT_IS_STATIC_ASSERT,
    GT_IS_C_ASSERT,
    GT_IS_ASM,
    GT_IS_GNU_ASM,
    GT_IS_CONST,
    GT_IS_CONSTEXPR,
    GT_IS_CONSTEVAL,
    GT_IS_VIRTUAL,
    GT_IS_PUBLIC,
    GT_IS_PRIVATE,
    GT_IS_PROTECTED,
    GT_IS_ALIGNAS,
    GT_IS_DECLTYPE,
    GT_IS_NOEXCEPT,
    GT_IS_EXPLICIT,
    GT_IS_FINAL,
    GT_IS_DEFAULT,
    GT_IS_DELETE,
    GT_IS_GLOBAL,
    GT_IS_DEVICE,
    GT_IS_CONSTANT,
    GT_IS_MANAGED,
    GT_IS_HOST,
    GT_IS_RETURN,
    GT_IS_ELSE,
    GT_IS_CASE,
    GT_IS_DO,
    GT_IS_GOTO,
    GT_IS_THROW,
    GT_IS_NEW,
    GT_IS_SIZEOF,
    GT_IS_TYPENAME,
    GT_IS_STATIC,
    GT_IS_VOLATILE,
    GT_IS_REGISTER,
    GT_IS_IF,
    GT_IS_WHILE,
    GT_IS_FOR,
    GT_IS_SWITCH,
    GT_IS_FRIEND,
    GT_IS_MUTABLE,
    GT_IS_RESTRICT,
    GT_WORDS_FIXED
} gt_word_id;
/* clang-format on */

/* A token, with a number for its spelling, often a gt_word_id; 0: a directive's '#'. */
typedef struct gt_word {
    gt_token token;
    uint32_t id;
} gt_word;

typedef GT_ARRAY(gt_word) gt_word_list;

/* The definition of a name. Parameters and body are words of gt_macros.texts. */
typedef struct gt_macro {
    size_t first;
    uint32_t parameters, words;
    bool is_function, is_variadic;
} gt_macro;

/* The macros that are defined at a place of a text. */
typedef struct gt_macros {
    const char *text; /* of the whole, which must outlive the macros */
    gt_hash_index index;
    uint32_t ids; /* how many numbers of spellings there are, 0 included */
    gt_word_list texts;
    GT_ARRAY(gt_macro) items;
    GT_ARRAY(uint32_t) of_name; /* by id: the index of its macro + 1; 0: it is no macro */
    gt_texts made;              /* spellings that ## made */
    unsigned conditionals;      /* how many #if are open around the place */
    uint32_t budget;            /* how many more words an expansion may have */
    bool failed;                /* out of memory */
} gt_macros;

void gt_macros_open(gt_macros *macros, const char *text);
void gt_macros_free(gt_macros *macros);
/* Appends the words of a text. A directive is one word, its '#'. */
void gt_words_split(gt_word_list *out, gt_macros *macros, gt_lexer lexer);
/* Reads the directive: #define and #undef change the table. Where #if leave open which of several
 * definitions holds, the first one stays. Returns by how much the #if that are open grow. */
int gt_macros_directive(gt_macros *macros, const gt_word *directive);
/* The macro of a name; NULL: it is none. */
const gt_macro *gt_macro_of(const gt_macros *macros, uint32_t id);
/* Appends the words with their macros replaced, up to about `most` words, without directives. */
void gt_macros_expand(gt_word_list *out, gt_macros *macros, const gt_word *words, size_t count,
                      uint32_t most);
/* Returns how many words from `at` on are a use of a macro, with its arguments; 0: none. */
size_t gt_macro_use(const gt_macros *macros, const gt_word *words, size_t count, size_t at);

/* Replaces all uses of macros that make kernels: `KERNEL void k(…)`, `DEFINE_KERNEL(k, +)`. `read`
 * is the text without the lines that #if leave out. Lines keep their numbers. ENOMEM. */
gputune_status gt_kernel_macros_expand(gt_text *text, const char *read);

/* The index of the bracket that closes the one at `at`; count - 1 where none does. */
size_t gt_word_close(const gt_word *words, size_t count, size_t at);
static inline bool gt_word_is_name(const gt_word *word)
{
    return word->token.kind == GT_TOKEN_NAME;
}
