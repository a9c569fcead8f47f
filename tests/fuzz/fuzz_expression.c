/* Parses expressions of templates, and evaluates them with extreme values. */
#include "fuzz/fuzz.h"

#include "kernel/text/expression.h"
#include "support/parse_expression.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "ceil_div(n, BLOCK * VEC)",
    "a ? b : c",
    "1 << 26",
    "min(n, max(a, b), 3) % 4 / (c + 1)",
    "BLOCK * UNROLL <= 4096 && (a == b || !c)",
    "1e-7 * sqrt(n) + pow(2.0, log2(n))",
    "round_up(n, 32) - -1 ^ ~b & 0x7f | sizeof(float)",
    NULL,
};
const char *const fuzz_words[] = {
    "ceil_div(", "round_up(", "min(", "max(",  "sqrt(", "log2(", "pow(", "sizeof(",
    "float",     "n",         "a",    "b",     "c",     "<<",    ">>",   "&&",
    "||",        "?",         ":",    "%",     "/",     "*",     "(",    ")",
    "!",         "~",         "-",    "1e308", "/* */", "//",    ",",    NULL,
};

static int slot_of(void *user, const char *name)
{
    static const char *const names[] = {"n", "a", "b", "c", "BLOCK", "VEC", "UNROLL"};
    for (int i = 0; i < 7; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static void evaluate(const gt_expression *expression)
{
    static const int64_t rows[][8] = {
        {67108864, 1, 2, 3, 256, 4, 2},
        {0, 0, 0, 0, 0, 0, 0},
        {INT64_MAX, INT64_MIN, -1, 63, 64, -64, 1},
        {-1, INT64_MAX, INT64_MAX, INT64_MIN, 2, 3, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t slots[GT_SLOT_MAX] = {0}, integer, quiet;
        double real;
        memcpy(slots, rows[i], sizeof rows[i]);
        int status = gt_expression_integer(&integer, expression, slots);
        const char *problem = gt_expression_try(&quiet, expression, slots);
        FUZZ_REQUIRE((status == 0) == (problem == NULL));
        FUZZ_REQUIRE(status || integer == quiet);
        if (gt_expression_real(&real, expression, slots, false) == 0) {
            FUZZ_REQUIRE(isfinite(real));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const gt_scope scope = {.slot = slot_of};
    const gt_place place = {"fuzz.cu", 1, 1};
    gt_expression *expression = NULL;
    char *text = strndup((const char *)data, bytes);
    FUZZ_REQUIRE(text);
    if (parse_expression(&expression, text, place, &scope) == 0) {
        evaluate(expression);
        free(expression);
    } else {
        FUZZ_REQUIRE(gputune_error()[0]);
    }
    free(text);
    return 0;
}
