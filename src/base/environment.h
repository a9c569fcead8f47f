/* Environment variables: the one place where the library reads them. */
#pragma once

/* The variable's value; NULL if it is not set or empty. In a set-uid or set-gid program every
 * variable counts as not set: whoever starts it could load code of their own otherwise, or have it
 * write files. The text belongs to the environment. */
const char *gt_environment(const char *name);
