/* A temporary folder for one test, and files of text. */
#pragma once

#include "base/status.h"

/* Makes one; the path is for folder_remove() to free. Fails the test where it cannot. */
char *folder_make(void);
/* Likewise, where writing needs no disk if there is such a place. */
char *folder_make_in_memory(void);
/* Removes it with all that is in it. */
void folder_remove(char *folder);

/* Writes a file anew, as printf() would. Fails the test where it cannot. */
void file_write(const char *path, const char *format, ...) GT_PRINTF(2, 3);
