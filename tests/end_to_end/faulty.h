/* The kernels of tests/faulty/, one file for each class of faults. Each kernel has a correct
 * variant and a faulty variant, BAD=1, which is faster. The comment above a kernel describes the
 * fault and what finds it: 'Caught by proof and check.' A line in which a check finds mistakes ends
 * with the kinds of these mistakes: '// found: race, state'. If several kernels share the line, it
 * ends with a label, '// line: wait', and the comments of these kernels name it: 'Caught by check
 * (race at wait).' */
#pragma once

#include "world.h"

#include <glob.h>

enum { KERNELS_MAX = 256 };

typedef struct faulty_kernel {
    char class[24], name[64], caught[160];
} faulty_kernel;

static int read_class(faulty_kernel *out, int most, const char *path)
{
    char line[512];
    int found = 0;
    faulty_kernel kernel = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    sscanf(path, "tests/faulty/%23[^.]", kernel.class);
    while (fgets(line, sizeof line, file)) {
        const char *caught = strstr(line, "Caught by ");
        if (caught) {
            sscanf(caught, "Caught by %159[^*]", kernel.caught);
        }
        if (sscanf(line, "#pragma gputune kernel(%63[^)])", kernel.name) == 1) {
            assert_true(found < most && kernel.caught[0]);
            out[found++] = kernel;
            kernel.caught[0] = '\0';
        }
    }
    fclose(file);
    return found;
}

static int read_faulty(faulty_kernel out[KERNELS_MAX])
{
    glob_t files;
    int found = 0;
    assert_int_equal(glob("tests/faulty/*.cu", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        found += read_class(out + found, KERNELS_MAX - found, files.gl_pathv[i]);
    }
    globfree(&files);
    return found;
}

static char **wanted;
static int wanted_count;

static bool is_wanted(const char *name, int index, int every)
{
    for (int i = 0; i < wanted_count; i++) {
        if (!strcmp(wanted[i], name)) {
            return true;
        }
    }
    return wanted_count == 0 && (index % every == 0 || getenv("GPUTUNE_TEST_LONG"));
}
