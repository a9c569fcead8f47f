/* Whether the code in a database may be launched in this process. */
#ifndef GT_STORE_TRUST_H
#define GT_STORE_TRUST_H

/* Why the file at `path` may hold what other users wrote: it or its folder is another user's (but
 * not root's), or may be written by a group or by everybody. NULL: it may not, or there is no such
 * file. The text is constant. */
const char *gt_distrust(const char *path);

#endif
