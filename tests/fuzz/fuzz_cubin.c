/* Fuzzes reading the names of kernels from images. */
#include "fuzz/fuzz.h"

#include "gpu/image.h"

#include <string.h>

const char *const fuzz_seeds[] = {"\177ELF\2\1\1", NULL};
const char *const fuzz_words[] = {"\177ELF", ".text.", ".symtab",          ".strtab", "axpy",
                                  "_Z",      "\1\1",   "\377\377\377\377", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *copy = malloc(bytes + 1); /* exact size, so sanitizers notice overruns */
    char *name;
    FUZZ_REQUIRE(copy);
    memcpy(copy, data, bytes);
    const gt_image image = {copy, bytes};
    if (gt_image_entry(&name, &image, "ns::axpy") == GPUTUNE_OK) {
        FUZZ_REQUIRE(name[0]);
        free(name);
    }
    free(copy);
    return 0;
}
