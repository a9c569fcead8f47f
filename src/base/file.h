/* Whole files, well-known folders, and paths that match a pattern. */
#pragma once

#include "base/array.h"
#include "base/text.h"

enum { GT_FILE_MOST = 8 << 20 }; /* bytes that gt_file_read() reads at most */

/* Reads a whole regular file of *bytes bytes (`bytes` may be NULL); *out has a NUL behind them, and
 * the caller frees it. ENOTFOUND when there is no such file, EIO when it cannot be read, is no
 * regular file or is larger than GT_FILE_MOST; the message names the path. Never waits for a FIFO's
 * writer. */
gputune_status gt_file_read(char **out, size_t *bytes, const char *path);
/* The same for a file of at most `most` bytes in place of GT_FILE_MOST. */
gputune_status gt_file_read_most(char **out, size_t *bytes, const char *path, size_t most);
/* Opens a regular file for reading. The caller closes the descriptor *out. Fails as gt_file_read()
 * does. */
gputune_status gt_file_open(int *out, const char *path);
/* Reads the beginning of a file, such as one of /proc, into `out` of `size` bytes, with a NUL
 * behind it. Nothing where it cannot be read. Returns `out`. */
const char *gt_file_peek(char *out, size_t size, const char *path);
bool gt_file_exists(const char *path);
bool gt_file_is_folder(const char *path);
/* Makes the folders above `path` (mode 0700). */
gputune_status gt_file_make_parents(const char *path);
/* The folder of the shared object or executable that this code is in (dladdr), caller frees. */
gputune_status gt_file_own_folder(char **out);
/* The folder of the gputune command of an installation, from which the other folders of the
 * installation are found: on PATH, else in /usr/local/bin or /usr/bin. For programs that the
 * library is linked into. *out is NULL where there is no such command; else the caller frees it. */
gputune_status gt_file_installed_folder(char **out);
/* Finds a file that comes with gputune, for which access(`mode`) succeeds. It is looked for in some
 * places beside this library, beside this program, and in an installation: in a build folder, an
 * installed libexec/gputune or bin, or a folder `gputune` beside the library. It must be root's, or
 * have the owner of the folder beside which it is looked for. *out is NULL where there is none,
 * else the caller frees it; `tried` gets the paths that were tried. ENOMEM. */
gputune_status gt_file_find_part(char **out, gt_text *tried, const char *name, int mode);
/* $XDG_CACHE_HOME/gputune or ~/.cache/gputune, without making it; caller frees. */
gputune_status gt_file_cache_folder(char **out);
/* Writes a formatted text into a new string, which the caller frees. */
gputune_status gt_path_format(char **out, const char *format, ...) GT_PRINTF(2, 3);

/* Finds the paths that match an absolute or relative pattern of a shell, in which *, ? and [] stand
 * within one component, as in fnmatch(3); a leading dot is matched by a dot alone. No match is no
 * failure, nor is a folder that cannot be read. The paths are in ascending order. ENOMEM.
 * gt_texts_free() releases *out, whatever the status. glibc's glob() is not used: it frees memory
 * twice where memory is short. */
gputune_status gt_matches_find(gt_texts *out, const char *pattern);
