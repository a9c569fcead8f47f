/* Which files a template's text includes, as its lines say it. */
#ifndef CLI_INCLUDED_H
#define CLI_INCLUDED_H

/* The name in `#include "name"`, or NULL; *text goes on to the next line. */
char *cli_next_include(const char **text);
/* Where a file of that name stands that `from` includes: in the same folder. */
char *cli_path_beside(const char *from, const char *name);

#endif
