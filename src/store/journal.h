/* SQLite plays back a journal that it finds beside a database, and removes the file that the
 * journal names as its super-journal. In a folder that others may write, the journal may be theirs.
 */
#ifndef GT_STORE_JOURNAL_H
#define GT_STORE_JOURNAL_H

#include <sqlite3.h>
#include <stdbool.h>

/* The name of the VFS that databases are opened with: it opens no journal but this user's or
 * root's, which others may not write, and fails with SQLITE_CANTOPEN at others. NULL where the
 * system has no such VFS. A code of SQLite's. */
int gt_journal_vfs(const char **name);
/* Whether a journal that is refused so lies beside the database. */
bool gt_journal_is_foreign(sqlite3 *database);

#endif
