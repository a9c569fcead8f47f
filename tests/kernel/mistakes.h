/* Checks error messages: replaces one line of a correct template, and compares the whole
 * message. */
#pragma once

#include "kernel_support.h"

#define P "#pragma gputune "

/* Replaces a line, counted from 1, by `text`. */
typedef struct gt_mistake {
    int line;
    const char *text, *message;
} gt_mistake;

static const char *const plain[] = {
    "// doubles y",
    P "kernel(twice)",
    P "problem(n = 1024)",
    P "args(inout float y[n], size_t n)",
    P "tune(BLOCK = 64, 128)",
    P "block(BLOCK)",
    P "grid(ceil_div(n, BLOCK))",
    "",
    "__global__ void twice(float *y, size_t n)",
    "{",
    "    y[0] *= 2;",
    "}",
    "__global__ void other(double *y, size_t n) {}",
    NULL,
};

/* Writes the template with one line replaced, or unchanged if `line` is 0. */
static inline void replace_line(gt_text *out, const char *const *lines, int line, const char *text)
{
    gt_text_free(out);
    for (int i = 0; lines[i]; i++) {
        gt_text_printf(out, "%s\n", i + 1 == line ? text : lines[i]);
    }
}

static inline void check_mistakes(const char *const *lines, const gt_mistake *mistakes,
                                  size_t count)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    replace_line(&text, lines, 0, "");
    gt_template_free(parse(gt_text_string(&text)));
    for (size_t i = 0; i < count; i++) {
        replace_line(&text, lines, mistakes[i].line, mistakes[i].text);
        expect_mistake("a.cu", gt_text_string(&text), mistakes[i].message);
    }
}

#define CHECK_MISTAKES(lines, mistakes)                                                            \
    check_mistakes(lines, mistakes, sizeof(mistakes) / sizeof *(mistakes))
