/* Fuzzes the arguments of --size and --only. */
#include "fuzz/fuzz.h"

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/scenarios.h"

#include <string.h>

const char *const fuzz_seeds[] = {"n=1",        "n=1M,16M T=half",    "n=2^20;m=4K,8k",
                                  "n=0^20;m=0", "VEC=1,2,4 BLOCK=64", NULL};
const char *const fuzz_words[] = {"n=", "=", ",", "2^", "K", "M", "G", "T", " ", ";", "-", NULL};

static void check_value(const char *value)
{
    int64_t number = 0;
    if (!cli_size_number(&number, value)) {
        FUZZ_REQUIRE(number >= 0 && number <= INT64_C(1) << 40);
    }
    FUZZ_REQUIRE(cli_sizes_of(value).count <= strlen(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static FILE *nowhere;
    if (!nowhere) {
        nowhere = stderr = fopen("/dev/null", "w");
        FUZZ_REQUIRE(nowhere);
    }
    void *mark = cli_mark();
    const char *text = cli_copy_part((const char *)data, bytes);
    cli_values values = {NULL, 0};
    if (cli_values_parse(&values, "--size", text) == CLI_CONTINUE) {
        for (size_t i = 0; i < values.count; i++) {
            FUZZ_REQUIRE(values.items[i].count > 0);
            FUZZ_REQUIRE(cli_values_find(&values, values.items[i].name) == &values.items[i]);
            for (size_t v = 0; v < values.items[i].count; v++) {
                check_value(values.items[i].values[v]);
            }
        }
    }
    cli_short_sizes(text);
    cli_release(mark);
    return 0;
}
