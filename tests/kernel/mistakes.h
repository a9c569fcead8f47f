/* Templates with mistakes: a template that is right, in which one line is replaced, and the whole
 * message that shows the form that is right. */
#pragma once

#include "kernel_support.h"

#define P "#pragma gputune "

/* The line of that number, from 1, replaced by `text`. */
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

/* The template with one line replaced; 0: as it is. */
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
    gt_text text = {0};
    replace_line(&text, lines, 0, "");
    gt_template_free(parse(gt_text_string(&text)));
    for (size_t i = 0; i < count; i++) {
        replace_line(&text, lines, mistakes[i].line, mistakes[i].text);
        expect_mistake("a.cu", gt_text_string(&text), mistakes[i].message);
    }
    gt_text_free(&text);
}

#define CHECK_MISTAKES(lines, mistakes)                                                            \
    check_mistakes(lines, mistakes, sizeof(mistakes) / sizeof *(mistakes))
