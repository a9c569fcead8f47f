/* Whole files, well-known folders, and paths that match a pattern. */
#pragma once

#include "base/array.h"
#include "base/text.h"

#include <stdio.h>

enum { GT_FILE_MOST = 8 << 20 }; /* maximum size of a file for gt_file_read() */

/* Reads a whole regular file and appends a NUL. Sets *bytes (`bytes` may be NULL) to the length
 * without the NUL. The caller frees *out. ENOTFOUND if the file does not exist. EIO if it is
 * unreadable, not regular, or above GT_FILE_MOST. Messages name the path. FIFOs do not block. */
gputune_status gt_file_read(char **out, size_t *bytes, const char *path);
/* Like gt_file_read(), with the limit `most` instead of GT_FILE_MOST. */
gputune_status gt_file_read_most(char **out, size_t *bytes, const char *path, size_t most);
/* Opens a regular file for reading. The caller closes *out. Fails like gt_file_read(). */
gputune_status gt_file_open(int *out, const char *path);
/* Reads up to `size` - 1 bytes from the beginning of a file into `out` as a string. The string is
 * empty if the file is unreadable. Returns `out`. */
const char *gt_file_peek(char *out, size_t size, const char *path);
/* A file that is being written. When it is complete, it replaces the file at `path`. */
typedef struct gt_output {
    FILE *file;
    char *path, *part; /* `part`: path of the new file; NULL: `path` itself is written */
} gt_output;
/* Opens a new file beside `path`, which gets the mode of the file at `path`. Opens the file at
 * `path` itself if it is a device or a FIFO, has several links, is read-only, belongs to another
 * user, or is in a folder in which this user cannot create files. EIO if that fails. */
gputune_status gt_output_open(gt_output *out, const char *path);
/* Closes the file and moves it to `path`. If anything could not be written, leaves the old file
 * there and returns EIO. */
gputune_status gt_output_close(gt_output *output);
bool gt_file_exists(const char *path);
bool gt_file_is_folder(const char *path);
/* Creates the parent folders of `path` (mode 0700). */
gputune_status gt_file_make_parents(const char *path);
/* Gets the folder of the library or program that contains this code. The caller frees *out. */
gputune_status gt_file_own_folder(char **out);
/* Gets the folder of an installed gputune command, found on PATH, otherwise in /usr/local/bin or
 * /usr/bin. A program that links the library statically locates the installation by this folder.
 * Sets *out to NULL if there is no such command; otherwise the caller frees *out. */
gputune_status gt_file_installed_folder(char **out);
/* Finds a file of gputune for which access() with `mode` succeeds. Looks beside this library,
 * beside this program and in an installation, including the subfolder `gputune` and
 * ../libexec/gputune of each. The file must belong to root or to the owner of the folder where the
 * search began. Sets *out to NULL if nothing is found; otherwise the caller frees *out. Appends
 * tried paths to `tried`. Fails only with ENOMEM. */
gputune_status gt_file_find_part(char **out, gt_text *tried, const char *name, int mode);
/* Gets $XDG_CACHE_HOME/gputune or ~/.cache/gputune without creating it. The caller frees *out.
 * ENOTFOUND if neither variable is an absolute path, or if the home folder does not exist. */
gputune_status gt_file_cache_folder(char **out);
/* Makes a relative path absolute, so it means the same file after chdir(). The caller frees *out.
 */
gputune_status gt_path_absolute(char **out, const char *path);

/* Finds the paths below a folder that match a shell pattern, in ascending order. *, ? and [] match
 * within a path component, as in fnmatch(3), but the folder is not a pattern. Only a pattern with a
 * leading dot matches a name with a leading dot. An unreadable folder and a pattern without matches
 * are not errors. Fails only with ENOMEM. Release *out with gt_texts_free(), even after a failure.
 * glibc's glob() is not used, because it frees memory twice when memory runs out. */
gputune_status gt_matches_find(gt_texts *out, const char *folder, const char *pattern);
