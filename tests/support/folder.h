/* Temporary folders and text files for tests. */
#pragma once

#include "base/status.h"

/* Creates a folder. folder_remove() frees the path. Fails the test on error. */
char *folder_make(void);
/* Like folder_make(), but in memory instead of on disk, if possible. */
char *folder_make_in_memory(void);
/* Removes the folder with its contents and frees the path. */
void folder_remove(char *folder);

/* Writes a file in printf() format, replacing an existing one. Fails the test on error. */
void file_write(const char *path, const char *format, ...) GT_PRINTF(2, 3);
