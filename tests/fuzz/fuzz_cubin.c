/* Fuzzes the reader of machine code: names of kernels, and widths of loads and stores. */
#include "fuzz/fuzz.h"

#include "gpu/image.h"

#include <string.h>

const char *const fuzz_seeds[] = {"\177ELF\2\1\1", NULL};
const char *const fuzz_words[] = {"\177ELF", ".text.", ".symtab",          ".strtab", "axpy",
                                  "_Z",      "\1\1",   "\377\377\377\377", NULL};

enum { WIDTHS = 1 | 2 | 4 | 8 | 16 | 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const architectures[] = {"sm_75", "sm_90a", "sm_120", "", "sm_"};
    char *copy = malloc(bytes + 1); /* so a sanitizer notices reads past the end */
    char *name;
    FUZZ_REQUIRE(copy);
    memcpy(copy, data, bytes);
    const gt_image image = {copy, bytes};
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        gt_resources widths = {0};
        gt_machine_code_widths(&widths, &image, architectures[i]);
        FUZZ_REQUIRE(!((widths.load_widths | widths.store_widths) & ~(uint32_t)WIDTHS));
    }
    if (gt_image_entry(&name, &image, "ns::axpy") == GPUTUNE_OK) {
        FUZZ_REQUIRE(name[0]);
        free(name);
    }
    free(copy);
    return 0;
}
