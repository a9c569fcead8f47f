/* Whole files and well-known folders. */
#pragma once

#include "base/status.h"

enum { GT_FILE_MOST = 8 << 20 }; /* bytes that gt_file_read() reads at most */

/* Reads a whole regular file; *out is NUL-terminated beyond *bytes (may be NULL) and the caller's
 * to free. ENOTFOUND when there is none, EIO when it cannot be read, is no regular file or is
 * larger than GT_FILE_MOST; the message names the path. Never waits for a FIFO's writer. */
gputune_status gt_file_read(char **out, size_t *bytes, const char *path);
/* The same of a file of at most `most` bytes. */
gputune_status gt_file_read_most(char **out, size_t *bytes, const char *path, size_t most);
/* Opens a regular file to be read from; *out is the caller's to close. The same failures. */
gputune_status gt_file_open(int *out, const char *path);
bool gt_file_exists(const char *path);
bool gt_file_is_folder(const char *path);
/* Makes the folders above `path` (mode 0700). */
gputune_status gt_file_make_parents(const char *path);
/* The folder of the shared object or executable that this code is in (dladdr), caller frees. */
gputune_status gt_file_own_folder(char **out);
/* The folder of the gputune command of an installation, from which the other folders of the
 * installation are found: on PATH, else in /usr/local/bin or /usr/bin. For programs that the
 * library is linked into. *out is NULL where there is none, and else the caller's to free. */
gputune_status gt_file_installed_folder(char **out);
/* $XDG_CACHE_HOME/gputune or ~/.cache/gputune, without making it; caller frees. */
gputune_status gt_file_cache_folder(char **out);
/* printf into a new string; caller frees. */
gputune_status gt_path_format(char **out, const char *format, ...) GT_PRINTF(2, 3);
