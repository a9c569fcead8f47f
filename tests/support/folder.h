/* A temporary folder for one test. */
#pragma once

/* Makes one; the path is for folder_remove() to free. Fails the test where it cannot. */
char *folder_make(void);
/* Likewise, where writing needs no disk if there is such a place. */
char *folder_make_in_memory(void);
/* Removes it with all that is in it. */
void folder_remove(char *folder);
