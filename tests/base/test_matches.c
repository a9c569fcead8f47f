/* Tests listing the paths that match a pattern. */
#include "base/file.h"
#include "support/folder.h"
#include "support/test.h"

static void touch(const char *folder, const char *name)
{
    GT_FREED char *path = NULL;
    ASSERT_OK(gt_format(&path, "%s/%s", folder, name));
    ASSERT_OK(gt_file_make_parents(path));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

/* Checks which files match the pattern. `expected` lists them, separated by commas. */
static void expect(const char *folder, const char *pattern, const char *expected)
{
    char found[512] = "";
    GT_SCOPED(gt_texts_free) gt_texts matches;
    ASSERT_OK(gt_matches_find(&matches, folder, pattern));
    for (size_t i = 0; i < matches.count; i++) {
        size_t length = strlen(found);
        (void)snprintf(found + length, sizeof found - length, "%s%s", i ? "," : "",
                       matches.items[i] + strlen(folder) + 1);
    }
    assert_string_equal(found, expected);
}

TEST(patterns_match_within_a_component)
{
    char *top = folder_make();
    GT_FREED char *folder = NULL;
    ASSERT_OK(gt_format(&folder, "%s/[1]*", top)); /* the * and [] in the name are literal */
    touch(folder, "lib/python3.11/nvidia/cu13/lib/libnvrtc.so.13");
    touch(folder, "lib/python3.9/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    touch(folder, "lib/python3.9/nvidia/.hidden/lib/libnvrtc.so.12");
    touch(folder, "lib64/libnvrtc.so.13");
    expect(folder, "lib/python3*/nvidia/*/lib/libnvrtc.so.1[23]",
           "lib/python3.11/nvidia/cu13/lib/libnvrtc.so.13,"
           "lib/python3.9/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    expect(folder, "lib64//libnvrtc.so.13", "lib64/libnvrtc.so.13");
    expect(folder, "lib?4", "lib64");
    expect(folder, "*/libnvrtc.so.13", "lib64/libnvrtc.so.13");
    expect(folder, "nowhere/*/x", "");
    expect(folder, "lib64/libnvrtc.so.13/*", "");
    folder_remove(top);
}
