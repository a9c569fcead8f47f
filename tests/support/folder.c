#include "support/folder.h"
#include "support/test.h"

#include <ftw.h>

static char *make(const char *pattern)
{
    char *path = strdup(pattern);
    assert_non_null(path);
    assert_non_null(mkdtemp(path));
    return path;
}

char *folder_make(void)
{
    return make("/tmp/gputune-test-XXXXXX");
}

char *folder_make_in_memory(void)
{
    bool there = access("/dev/shm", W_OK) == 0;
    return make(there ? "/dev/shm/gputune-test-XXXXXX" : "/tmp/gputune-test-XXXXXX");
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    return remove(path);
}

void folder_remove(char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(folder);
}

void file_write(const char *path, const char *format, ...)
{
    FILE *file = fopen(path, "w");
    va_list values;
    assert_non_null(file);
    va_start(values, format);
    assert_true(vfprintf(file, format, values) >= 0);
    va_end(values);
    assert_int_equal(fclose(file), 0);
}
