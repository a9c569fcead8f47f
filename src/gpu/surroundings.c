/* Hashes what determines which GPU CUDA gives to this process. */
#include "gpu/surroundings.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVER_FILES "/proc/driver/nvidia/"

const char *gt_surroundings_root = "";

/* Appends the lines that name a GPU; the others change while the GPU is idle. */
static void append_names(gt_text *text, const char *path)
{
    char content[8192];
    gt_file_peek(content, sizeof content, path);
    gt_text_printf(text, "%s\n", path);
    for (const char *line = content; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, "Model:", 6) == 0 || strncmp(line, "GPU UUID:", 9) == 0) {
            gt_text_append_bytes(text, line, strcspn(line, "\n"));
            gt_text_append(text, "\n");
        }
    }
}

/* Appends whether this process may open a device file, because a cgroup or the file's mode may hide
 * the GPU. access() does not open the file, which could wake the GPU. */
static void append_access(gt_text *text, const char *path)
{
    gt_text_printf(text, "%s %d\n", path, access(path, R_OK | W_OK) == 0);
}

static void append_path(gt_text *text, const char *path)
{
    gt_text_printf(text, "%s\n", path);
}

/* Calls `append` for each matching path, and counts them. */
static gputune_status append_each(gt_text *text, size_t *count, const char *pattern,
                                  void (*append)(gt_text *text, const char *path))
{
    GT_FREED char *rooted = NULL;
    GT_SCOPED(gt_texts_free) gt_texts paths = {0};
    GT_TRY(gt_path_format(&rooted, "%s%s", gt_surroundings_root, pattern));
    GT_TRY(gt_matches_find(&paths, rooted));
    for (size_t i = 0; i < paths.count; i++) {
        append(text, paths.items[i]);
    }
    *count = paths.count;
    return GPUTUNE_OK;
}

static gputune_status append_gpus(gt_text *text)
{
    static const char *const files[] = {"/proc/sys/kernel/random/boot_id", DRIVER_FILES "version"};
    size_t gpus, others;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        GT_FREED char *path = NULL;
        char content[8192];
        GT_TRY(gt_path_format(&path, "%s%s", gt_surroundings_root, files[i]));
        GT_REFUSE(!*gt_file_peek(content, sizeof content, path), GPUTUNE_ENOTFOUND, "no file %s",
                  path);
        gt_text_printf(text, "%s\n%s\n", path, content);
    }
    GT_TRY(append_each(text, &gpus, DRIVER_FILES "gpus/*/information", append_names));
    GT_REFUSE(!gpus, GPUTUNE_ENOTFOUND, "no GPUs in " DRIVER_FILES "gpus");
    GT_TRY(append_each(text, &others, DRIVER_FILES "capabilities/gpu*/mig/*", append_path));
    GT_TRY(append_each(text, &others, DRIVER_FILES "capabilities/gpu*/mig/*/*", append_path));
    GT_TRY(append_each(text, &others, "/dev/nvidia*", append_access));
    return append_each(text, &others, "/dev/nvidia-caps/*", append_access);
}

/* Appends the state of the driver's library, or of the linker's cache, which is rewritten when
 * libraries are installed. */
static gputune_status append_library(gt_text *text, const char *driver)
{
    bool is_path = strchr(driver, '/') != NULL;
    struct stat file = {0};
    GT_REFUSE(!is_path && strcmp(driver, "cuda") != 0, GPUTUNE_ENOTFOUND,
              "%s is not a driver's library", driver);
    int failed = stat(is_path ? driver : "/etc/ld.so.cache", &file);
    GT_REFUSE(is_path && failed, GPUTUNE_ENOTFOUND, "no file %s", driver);
    gt_text_printf(text, "%s %lld %lld %lld.%ld\n", driver, (long long)file.st_ino,
                   (long long)file.st_size, (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    return GPUTUNE_OK;
}

/* Hashes the variables that CUDA and the dynamic linker read, in any order (a sum). */
static gt_hash hash_variables(void)
{
    static const char *const prefixes[] = {"CUDA_", "NVIDIA_", "LD_"};
    gt_hash sum = {0};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const char *variable;
        for (size_t at = 0; (variable = gt_environment_next(&at, prefixes[i]));) {
            gt_hash one = gt_hash_string(variable);
            sum = (gt_hash){sum.high + one.high, sum.low + one.low};
        }
    }
    return sum;
}

gputune_status gt_surroundings_find(gt_hash *out, const char *driver, const char *device)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(append_library(&text, driver));
    GT_TRY(append_gpus(&text));
    gt_text_printf(&text, "device %s\n", device);
    GT_TRY(text.failed ? gt_fail_memory() : GPUTUNE_OK);
    *out = gt_hash_join(gt_hash_string(gt_text_string(&text)), hash_variables());
    return GPUTUNE_OK;
}
