/* All prepared statements of the store. The tables are defined in db/NNN_*.sql. */
#pragma once

#include "store/columns.h"

/* maximum size of a value that is read or deleted; larger values would take too long */
#define GT_LONGEST_BYTES     67108864
#define GT_TEXT_OF_NUMBER(n) #n
#define GT_TEXT_NUMBER(n)    GT_TEXT_OF_NUMBER(n)

/* Convert a list of columns to SQL: ", name", ", ? AS name", or ", x.name" where x is an alias. */
#define GT_PASTE_NAME(kind, name, ...)     ", " #name
#define GT_PASTE_BOUND(kind, name, ...)    ", ? AS " #name
#define GT_PASTE_TRIAL(kind, name, ...)    ", t." #name
#define GT_PASTE_DEFAULT(kind, name, ...)  ", d." #name
#define GT_PASTE_WINNER(kind, name, ...)   ", w." #name
#define GT_PASTE_RULE(kind, name, ...)     ", r." #name
#define GT_PASTE_COMPILED(kind, name, ...) ", p." #name
#define GT_PASTE_SITE(kind, name, ...)     #name ", "

/* The columns of a table, with a comma before each, because other columns precede them. Aliases: p
 * compiled, c cubin, g gpu, s scenario, t trial, d trial of the default, w winner, r rule. */
#define GT_TEXT_CODE   GT_CODE_COLUMNS(GT_PASTE_COMPILED)
#define GT_TEXT_TRIAL  GT_TRIAL_COLUMNS(GT_PASTE_TRIAL)
#define GT_TEXT_WINNER GT_WINNER_COLUMNS(GT_PASTE_WINNER)
#define GT_TEXT_RULE   GT_RULE_COLUMNS(GT_PASTE_RULE)

/* The checksum of a row. It also covers the image of code, the GPU and scenario of a trial, rule or
 * winner, and the family and sizes of a winner. Rows with a wrong checksum are ignored. */
#define GT_TEXT_CODE_SUM   "gt_checksum(c.image" GT_TEXT_CODE ")"
#define GT_TEXT_TRIAL_SUM  "gt_checksum(g.environment, s.hash" GT_TEXT_TRIAL ")"
#define GT_TEXT_RULE_SUM   "gt_checksum(g.environment, s.hash" GT_TEXT_RULE ")"
#define GT_TEXT_WINNER_SUM "gt_checksum(g.environment, s.hash, s.family, w.sizes" GT_TEXT_WINNER ")"

/* Conditions for an intact winner: the checksums of the winner and its trial are correct, and the
 * trial has the same configuration and status 0 or 1 (GT_TRIAL_OK, GT_TRIAL_ELIMINATED). */
#define GT_TEXT_SOUND_WINNER                                                                       \
    "t.config = w.config AND t.status IN (0, 1) AND w.checksum = " GT_TEXT_WINNER_SUM " "
#define GT_TEXT_SOUND_TRIAL "t.checksum = " GT_TEXT_TRIAL_SUM " "
/* Condition for storing a winner: the file does not contain its trial as a failure. Otherwise,
 * the winner would replace the stored winner, but no request would find it. This can happen if the
 * file was locked: the winner is then in memory, and the failure is in the file. */
#define GT_TEXT_MAY_WIN                                                                            \
    "NOT EXISTS (SELECT 1 FROM main.trial t WHERE t.gpu = g.id AND t.scenario = s.id AND "         \
    "t.hash = w.trial AND t.status NOT IN (0, 1)) "
/* Join a row with its GPU and scenario, and a winner with its trial and the default's trial. */
#define GT_TEXT_PLACE(row)                                                                         \
    " JOIN gpu g ON g.id = " row ".gpu JOIN scenario s ON s.id = " row ".scenario "
#define GT_TEXT_WON                                                                                \
    "JOIN trial t ON t.gpu = w.gpu AND t.scenario = w.scenario AND t.hash = w.trial "
#define GT_TEXT_DEFAULT                                                                            \
    "LEFT JOIN trial d ON d.gpu = w.gpu AND d.scenario = w.scenario AND d.hash = w.default_trial "
#define GT_TEXT_WINNERS                                                                            \
    "SELECT t.proved_at, t.median, d.median" GT_TEXT_WINNER " FROM winner w" GT_TEXT_PLACE("w")    \
        GT_TEXT_WON GT_TEXT_DEFAULT "WHERE g.environment = ?1 AND " GT_TEXT_SOUND_TRIAL            \
                                    "AND " GT_TEXT_SOUND_WINNER

/* Follows the name of a table, and selects its rows of GPU ?1 and scenario ?2. */
#define GT_TEXT_OF       " t" GT_TEXT_PLACE("t") "WHERE g.environment = ?1 AND s.hash = ?2 "
#define GT_TEXT_TRIAL_OF "trial" GT_TEXT_OF

/* Condition for a row of the table compiled: no trial, winner or rule uses the code. `trials` is
 * "", or a WHERE clause that limits which trials are considered. */
#define GT_TEXT_UNUSED(trials)                                                                     \
    "source NOT IN (SELECT source FROM trial " trials " UNION SELECT code_source FROM winner "     \
    "UNION SELECT fallback_source FROM winner) AND "                                               \
    "NOT EXISTS (SELECT 1 FROM rule r WHERE " GT_TEXT_USES("compiled.source") ")"

/* Selects trials of GPU ?1 and scenario ?2 up to row ?3 whose configuration has later trials. */
#define GT_TEXT_REPLACED                                                                           \
    "trial WHERE gpu = ?1 AND scenario = ?2 AND id <= ?3 AND config IN "                           \
    "(SELECT config FROM trial WHERE gpu = ?1 AND scenario = ?2 AND id > ?3)"

/* The middle part of an INSERT statement. It begins with the listed columns and the checksum, and
 * ends with the inner row, whose alias must follow. `keys` are the values of the first columns,
 * `text` the values of the listed columns, and `sum` is the checksum. `more` is the inner row's
 * first column, or "0". */
#define GT_TEXT_SET(list, keys, text, sum, more)                                                   \
    list(GT_PASTE_NAME) ", checksum) SELECT " keys text ", " sum " FROM (SELECT " more list(       \
        GT_PASTE_BOUND) ") "
#define GT_TEXT_TRIAL_SET                                                                          \
    GT_TEXT_SET(GT_TRIAL_COLUMNS,                                                                  \
                "?1, ?2, coalesce((SELECT created FROM trial WHERE gpu = ?1 AND scenario = ?2 "    \
                "AND hash = ?5 AND created >= ?4), ?3)",                                           \
                GT_TEXT_TRIAL, GT_TEXT_TRIAL_SUM, "0")                                             \
    "t" GT_TEXT_HERE
#define GT_TEXT_HERE ", gpu g, scenario s WHERE g.id = ?1 AND s.id = ?2"

/* Condition for a row r of the table rule: the rule uses the source. */
#define GT_TEXT_USES(source) "instr(r.sources, lower(hex(" source ")))"

/* The columns of a table that are copied from one database to another. */
#define GT_TEXT_GPU                                                                                \
    "environment, name, arch, origin, mig_profile, host, sm_count, l2_bytes, memory_bytes, "       \
    "bus_width_bits, memory_clock_khz, sm_clock_khz, driver_version, nvrtc_version, "              \
    "copy_bytes_per_s"
/* Sets the properties of a GPU, except those that are 0 because they are unknown. The parameters
 * are the GPU's columns of GT_SITE_COLUMNS. */
#define GT_TEXT_GPU_SET                                                                            \
    "UPDATE gpu SET (" GT_TEXT_GPU ") = (?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(?8 AS INTEGER), "        \
    "CAST(?9 AS INTEGER), ?10, ?11, ?12, ?13, iif(?14 > 0, ?14, nvrtc_version), "                  \
    "iif(?15 > 0, ?15, copy_bytes_per_s)) WHERE environment = ?1"
#define GT_TEXT_SCENARIO                                                                           \
    "family, volume, hash, problem, bucket, fixed, sizes, objective, cache, alignment, inputs, "   \
    "work_bytes, work_flops, unreferenced"
/* Joins a row of the database `kept` with the rows for its GPU and scenario in the file. */
#define GT_TEXT_PLACE_OF(row)                                                                      \
    "JOIN kept.gpu x ON x.id = " row ".gpu JOIN main.gpu g ON g.environment = x.environment "      \
    "JOIN kept.scenario y ON y.id = " row ".scenario JOIN main.scenario s ON s.hash = y.hash "

/* 1 if a trial is finished; 0 if its status is 7 to 9 (GT_TRIAL_SLOW and following) */
#define GT_TEXT_FINISHED(row) "(" row ".status NOT IN (7, 8, 9))"
/* The evidence of rows with the same key; the row with the most evidence is kept. For example, a
 * finished trial is preferred to an unfinished one. If both are finished or unfinished, the later
 * trial is preferred. */
#define GT_TEXT_TRIAL_EVIDENCE(row) "(" GT_TEXT_FINISHED(row) ", " row ".created)"
#define GT_TEXT_RULE_EVIDENCE(row)  "(" row ".proved, " row ".created)"
#define GT_TEXT_WINNER_EVIDENCE(row)                                                               \
    "(" row ".final, " row ".proved, " row ".driver_version, " row ".effort, " row ".created)"

/* Selects rows of `kept`, except those for which the file has an intact row with more evidence. */
#define GT_PASTE_OTHER(kind, name, ...) ", o." #name
#define GT_TEXT_OTHER_TRIAL             "gt_checksum(g.environment, s.hash" GT_TRIAL_COLUMNS(GT_PASTE_OTHER) ")"
#define GT_TEXT_OTHER_RULE              "gt_checksum(g.environment, s.hash" GT_RULE_COLUMNS(GT_PASTE_OTHER) ")"
#define GT_TEXT_OTHER_WINNER                                                                       \
    "gt_checksum(g.environment, s.hash, s.family, o.sizes" GT_WINNER_COLUMNS(GT_PASTE_OTHER) ")"
#define GT_TEXT_UNLESS_MORE(table, row, same, sum, evidence)                                       \
    "WHERE NOT EXISTS (SELECT 1 FROM main." table                                                  \
    " o WHERE o.gpu = g.id AND o.scenario = s.id " same "AND o.checksum = " sum                    \
    " AND (o.checksum = " row ".checksum OR " evidence("o") " > " evidence(row) ")) "

#define GT_SQL_LIST(X)                                                                             \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(GPU_ROW, "INSERT INTO gpu (environment) VALUES (?1) "                                        \
               "ON CONFLICT DO UPDATE SET environment = excluded.environment RETURNING id")        \
    X(GPU_SET, GT_TEXT_GPU_SET)                                                                    \
    /* sets the properties of a GPU only if they are not stored yet */                             \
    X(GPU_DESCRIBE, GT_TEXT_GPU_SET " AND name = ''")                                              \
    X(CLOCK_RATE_SET, "INSERT OR REPLACE INTO clock_rate VALUES (?1, ?2, ?3, ?4, ?5)")             \
    /* ignores rows of clock_rate with rates that no GPU has, because such rows are damaged */     \
    X(CLOCK_RATE, "SELECT c.memory_clock_khz, c.sm_clock_khz FROM clock_rate c "                   \
                  "WHERE uuid = ?1 AND origin = ?2 AND driver_version = ?3 AND EXISTS ("           \
                  "SELECT 1 FROM gpu g WHERE g.origin = c.origin AND "                             \
                  "g.memory_clock_khz = c.memory_clock_khz AND g.sm_clock_khz = c.sm_clock_khz)")  \
    X(KERNEL_ROW, "INSERT INTO kernel (name, identity) VALUES (?1, ?2) "                           \
                  "ON CONFLICT DO UPDATE SET name = excluded.name RETURNING id")                   \
    X(SCENARIO_SET,                                                                                \
      "INSERT INTO scenario (kernel, " GT_TEXT_SCENARIO ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "   \
      "?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) "                                                     \
      "ON CONFLICT (hash) DO UPDATE SET problem = excluded.problem, sizes = excluded.sizes, "      \
      "volume = excluded.volume, work_bytes = excluded.work_bytes, "                               \
      "work_flops = excluded.work_flops, unreferenced = excluded.unreferenced RETURNING id")       \
    X(CUBIN_ADD, "INSERT INTO cubin (content, image) VALUES (?1, ?2) ON CONFLICT (content) "       \
                 "DO UPDATE SET image = excluded.image WHERE image <> excluded.image")             \
    X(CUBIN_ID, "SELECT id FROM cubin WHERE content = ?1")                                         \
    X(CODE_SET, "INSERT OR REPLACE INTO compiled (cubin" GT_TEXT_SET(                              \
                    GT_CODE_COLUMNS, "?1", GT_TEXT_CODE, GT_TEXT_CODE_SUM,                         \
                    "0") "p, cubin c WHERE c.id = ?1")                                             \
    X(CODE,                                                                                        \
      "SELECT c.image" GT_TEXT_CODE " FROM compiled p JOIN cubin c ON c.id = p.cubin "             \
      "WHERE p.source = ?1 AND p.arch = ?2 AND p.ptx = ?3 AND (?4 = 0 OR p.nvrtc_version = ?4) "   \
      "AND p.checksum = " GT_TEXT_CODE_SUM " ORDER BY p.nvrtc_version DESC LIMIT 1")               \
    X(TRIALS, "SELECT 0" GT_TEXT_TRIAL " FROM " GT_TEXT_TRIAL_OF "AND " GT_TEXT_SOUND_TRIAL)       \
    /* selects the scenarios of a kernel that have trials, for each GPU with the same origin or,   \
     * if ?5 is true, any origin; ?3, ?4 and ?6: name, origin and MIG profile of this GPU */       \
    X(RELATED_SCENARIOS,                                                                           \
      "SELECT g.id, s.id, g.environment, s.hash, s.sizes, s.fixed, s.objective, "                  \
      "g.name = ?3 AND g.origin = ?4 AND g.mig_profile = ?6 "                                      \
      "FROM kernel k JOIN scenario s ON s.kernel = k.id CROSS JOIN gpu g "                         \
      "WHERE k.name = ?1 AND k.identity = ?2 AND (?5 OR g.origin = ?4) AND "                       \
      "EXISTS (SELECT 1 FROM trial t WHERE t.gpu = g.id AND t.scenario = s.id)")                   \
    /* selects ?3 random trials (those with the lowest hashes), the ?4 fastest trials and all      \
     * winners, including trials that were launched only once (status 8) */                        \
    X(RELATED_TRIALS,                                                                              \
      "WITH known AS (SELECT id, hash, median FROM trial WHERE gpu = ?1 AND scenario = ?2 AND "    \
      "status IN (0, 1, 8) AND samples > 0 AND median > 0) "                                       \
      "SELECT t.config, t.median, t.compile_ns FROM trial t" GT_TEXT_PLACE(                        \
          "t") "WHERE t.id IN ("                                                                   \
               "SELECT id FROM (SELECT id FROM known ORDER BY hash LIMIT ?3) "                     \
               "UNION SELECT id FROM (SELECT id FROM known ORDER BY median LIMIT ?4) "             \
               "UNION SELECT k.id FROM winner w JOIN known k ON k.hash = w.trial WHERE w.gpu = "   \
               "?1 AND "                                                                           \
               "w.scenario = ?2) AND " GT_TEXT_SOUND_TRIAL "ORDER BY t.median")                    \
    /* the date of the replaced trial (hash ?5) is kept, unless it is before ?4 */                 \
    X(TRIAL_SET, "INSERT OR REPLACE INTO trial (gpu, scenario, created" GT_TEXT_TRIAL_SET)         \
    /* replaces a damaged trial; a finished trial also replaces an unfinished one */               \
    X(TRIAL_OFFER,                                                                                 \
      "INSERT OR REPLACE INTO trial (gpu, scenario, created" GT_TEXT_TRIAL_SET                     \
      " AND NOT EXISTS (SELECT 1 FROM trial o WHERE o.gpu = ?1 AND o.scenario = ?2 AND "           \
      "o.hash = ?5 AND o.checksum = " GT_TEXT_OTHER_TRIAL                                          \
      " AND " GT_TEXT_FINISHED("o") " >= " GT_TEXT_FINISHED("t") ")")                              \
    /* delete each trial up to id ?3 whose configuration also has a trial above id ?3; first       \
     * delete the winners of these trials, and the code that no other trial uses */                \
    X(LAST_TRIAL, "SELECT coalesce(max(id), 0) FROM trial")                                        \
    X(REPLACED, "SELECT count(*) FROM " GT_TEXT_REPLACED)                                          \
    X(REPLACED_WINNERS, "DELETE FROM winner WHERE gpu = ?1 AND scenario = ?2 AND trial IN "        \
                        "(SELECT hash FROM " GT_TEXT_REPLACED ")")                                 \
    X(REPLACED_CODE,                                                                               \
      "DELETE FROM compiled WHERE source IN (SELECT source FROM " GT_TEXT_REPLACED                 \
      ") AND " GT_TEXT_UNUSED("WHERE id NOT IN (SELECT id FROM " GT_TEXT_REPLACED ")"))            \
    X(REPLACED_TRIALS, "DELETE FROM " GT_TEXT_REPLACED)                                            \
    X(WINNER_SET, "INSERT OR REPLACE INTO winner (gpu, scenario, sizes" GT_TEXT_SET(               \
                      GT_WINNER_COLUMNS, "?1, ?2, w.sizes", GT_TEXT_WINNER, GT_TEXT_WINNER_SUM,    \
                      "?3 AS sizes") "w" GT_TEXT_HERE " AND " GT_TEXT_MAY_WIN)                     \
    X(WINNERS, GT_TEXT_WINNERS "AND s.hash = ?2 ORDER BY w.final DESC, w.id DESC")                 \
    X(SIZES_OF_FAMILY, "SELECT w.sizes FROM winner w" GT_TEXT_PLACE(                               \
                           "w") "WHERE g.environment = ?1 AND s.family = ?2 AND w.proved")         \
    X(WINNERS_OF_SIZES,                                                                            \
      GT_TEXT_WINNERS "AND s.family = ?2 AND w.sizes = ?3 AND w.proved ORDER BY w.id DESC")        \
    X(RULE_SET,                                                                                    \
      "INSERT OR REPLACE INTO rule (gpu, scenario" GT_TEXT_SET(                                    \
          GT_RULE_COLUMNS, "?1, ?2", GT_TEXT_RULE, GT_TEXT_RULE_SUM, "0") "r" GT_TEXT_HERE)        \
    X(RULE,                                                                                        \
      "SELECT 0" GT_TEXT_RULE " FROM rule r" GT_TEXT_PLACE(                                        \
          "r") "WHERE g.environment = ?1 AND s.hash = ?2 AND r.checksum = " GT_TEXT_RULE_SUM)      \
    X(RULES,                                                                                       \
      "SELECT " GT_SITE_COLUMNS(GT_PASTE_SITE) "0" GT_TEXT_RULE " FROM rule r" GT_TEXT_PLACE(      \
          "r") "JOIN kernel k ON k.id = s.kernel WHERE r.checksum = " GT_TEXT_RULE_SUM             \
               " ORDER BY k.name, s.fixed, g.environment, r.id")                                   \
    X(LEASE_GET, "SELECT machine, pid, start, expires_ms, owner FROM lease WHERE key = ?1")        \
    X(LEASE_SET, "INSERT OR REPLACE INTO lease (key, owner, machine, pid, start, expires_ms) "     \
                 "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")                                                \
    X(LEASE_RENEW, /* change the row even if the clock has not advanced */                         \
      "UPDATE lease SET expires_ms = ?3 + (expires_ms = ?3) WHERE key = ?1 AND owner = ?2")        \
    X(LEASE_DELETE, "DELETE FROM lease WHERE key = ?1 AND owner = ?2")                             \
    /* copy rows of `kept`, a database in memory, to the file, unless the file has better ones */  \
    X(BRING_BEGIN, "ATTACH ':memory:' AS kept")                                                    \
    X(BRING_END, "DETACH kept")                                                                    \
    /* also sets the properties of a GPU if they are missing because a tuning was killed */        \
    X(BRING_GPU,                                                                                   \
      "INSERT INTO main.gpu (" GT_TEXT_GPU ") SELECT " GT_TEXT_GPU " FROM kept.gpu WHERE true "    \
      "ON CONFLICT (environment) DO UPDATE SET (" GT_TEXT_GPU ") = (SELECT " GT_TEXT_GPU           \
      " FROM kept.gpu k WHERE k.environment = excluded.environment) WHERE name = ''")              \
    X(BRING_KERNEL, "INSERT OR IGNORE INTO main.kernel (name, identity) SELECT name, identity "    \
                    "FROM kept.kernel")                                                            \
    X(BRING_SCENARIO, "INSERT OR IGNORE INTO main.scenario (kernel, " GT_TEXT_SCENARIO             \
                      ") SELECT k.id, " GT_TEXT_SCENARIO " FROM kept.scenario s "                  \
                      "JOIN kept.kernel o ON o.id = s.kernel "                                     \
                      "JOIN main.kernel k ON k.name = o.name AND k.identity = o.identity")         \
    X(BRING_CUBIN, "INSERT OR IGNORE INTO main.cubin (content, image) SELECT content, image "      \
                   "FROM kept.cubin")                                                              \
    X(BRING_CODE, "INSERT OR REPLACE INTO main.compiled (cubin, checksum" GT_CODE_COLUMNS(         \
                      GT_PASTE_NAME) ") SELECT c.id, p.checksum" GT_TEXT_CODE                      \
                                     " FROM kept.compiled p JOIN kept.cubin o ON o.id = p.cubin "  \
                                     "JOIN main.cubin c ON c.content = o.content "                 \
                                     "WHERE NOT EXISTS (SELECT 1 FROM main.compiled q WHERE "      \
                                     "q.source = p.source AND q.arch = p.arch AND q.ptx = p.ptx "  \
                                     "AND q.nvrtc_version = p.nvrtc_version AND "                  \
                                     "q.checksum = p.checksum)")                                   \
    X(BRING_TRIAL,                                                                                 \
      "INSERT OR REPLACE INTO main.trial (gpu, scenario, created, checksum" GT_TRIAL_COLUMNS(      \
          GT_PASTE_NAME) ") SELECT g.id, s.id, t.created, t.checksum" GT_TEXT_TRIAL                \
                         " FROM kept.trial t " GT_TEXT_PLACE_OF("t") GT_TEXT_UNLESS_MORE(          \
                             "trial", "t", "AND o.hash = t.hash ", GT_TEXT_OTHER_TRIAL,            \
                             GT_TEXT_TRIAL_EVIDENCE) "ORDER BY t.id")                              \
    X(BRING_WINNER,                                                                                \
      "INSERT OR REPLACE INTO main.winner (gpu, scenario, sizes, checksum" GT_WINNER_COLUMNS(      \
          GT_PASTE_NAME) ") SELECT g.id, s.id, w.sizes, w.checksum" GT_TEXT_WINNER                 \
                         " FROM kept.winner w " GT_TEXT_PLACE_OF("w") GT_TEXT_UNLESS_MORE(         \
                             "winner", "w", "AND o.space = w.space ", GT_TEXT_OTHER_WINNER,        \
                             GT_TEXT_WINNER_EVIDENCE) "AND " GT_TEXT_MAY_WIN "ORDER BY w.id")      \
    X(BRING_RULE, "INSERT OR REPLACE INTO main.rule (gpu, scenario, checksum" GT_RULE_COLUMNS(     \
                      GT_PASTE_NAME) ") SELECT g.id, s.id, r.checksum" GT_TEXT_RULE                \
                                     " FROM kept.rule r " GT_TEXT_PLACE_OF("r")                    \
                                         GT_TEXT_UNLESS_MORE("rule", "r", "", GT_TEXT_OTHER_RULE,  \
                                                             GT_TEXT_RULE_EVIDENCE))               \
    /* deletes damaged rows before a merge, winners first, because checking them needs trials */   \
    X(KEPT_WINNERS, "DELETE FROM kept.winner WHERE id NOT IN (SELECT w.id FROM kept.winner w "     \
                    "JOIN kept.gpu g ON g.id = w.gpu JOIN kept.scenario s ON s.id = w.scenario "   \
                    "JOIN kept.trial t ON t.gpu = w.gpu AND t.scenario = w.scenario AND "          \
                    "t.hash = w.trial WHERE " GT_TEXT_SOUND_TRIAL "AND " GT_TEXT_SOUND_WINNER ")") \
    X(KEPT_TRIALS, "DELETE FROM kept.trial WHERE id NOT IN (SELECT t.id FROM kept.trial t "        \
                   "JOIN kept.gpu g ON g.id = t.gpu JOIN kept.scenario s ON s.id = t.scenario "    \
                   "WHERE " GT_TEXT_SOUND_TRIAL ")")                                               \
    X(KEPT_RULES, "DELETE FROM kept.rule WHERE id NOT IN (SELECT r.id FROM kept.rule r "           \
                  "JOIN kept.gpu g ON g.id = r.gpu JOIN kept.scenario s ON s.id = r.scenario "     \
                  "WHERE r.checksum = " GT_TEXT_RULE_SUM ")")                                      \
    X(KEPT_CODE, "DELETE FROM kept.compiled WHERE id NOT IN (SELECT p.id FROM kept.compiled p "    \
                 "JOIN kept.cubin c ON c.id = p.cubin WHERE p.checksum = " GT_TEXT_CODE_SUM ")")   \
    X(KEPT_COUNTS,                                                                                 \
      "SELECT (SELECT count(*) FROM kept.winner), (SELECT count(*) FROM kept.trial), "             \
      "(SELECT count(*) FROM kept.compiled), (SELECT count(*) FROM kept.rule)")                    \
    /* delete all rows of GPU ?1 and scenario ?2 */                                                \
    X(DROP_SOURCES, "INSERT OR IGNORE INTO temp.dropped SELECT t.source FROM " GT_TEXT_TRIAL_OF)   \
    X(DROP_WINNER_SOURCES,                                                                         \
      "INSERT OR IGNORE INTO temp.dropped SELECT t.code_source FROM winner" GT_TEXT_OF             \
      "UNION SELECT t.fallback_source FROM winner" GT_TEXT_OF)                                     \
    X(DROP_WINNERS, "DELETE FROM winner WHERE id IN (SELECT t.id FROM winner" GT_TEXT_OF ")")      \
    X(DROP_TRIALS, "DELETE FROM trial WHERE id IN (SELECT t.id FROM trial" GT_TEXT_OF ")")         \
    X(DROP_RULE_SOURCES,                                                                           \
      "INSERT OR IGNORE INTO temp.dropped SELECT p.source FROM compiled p JOIN rule "              \
      "r" GT_TEXT_PLACE("r") "WHERE g.environment = ?1 AND s.hash = ?2 AND " GT_TEXT_USES(         \
          "p.source"))                                                                             \
    X(DROP_RULES, "DELETE FROM rule WHERE id IN (SELECT t.id FROM rule" GT_TEXT_OF ")")            \
    /* then delete code that is not used any more */                                               \
    X(DROP_BEGIN, "CREATE TEMP TABLE IF NOT EXISTS dropped (source BLOB PRIMARY KEY) "             \
                  "WITHOUT ROWID")                                                                 \
    X(DROP_NONE, "DELETE FROM temp.dropped")                                                       \
    X(DROP_CODE, "DELETE FROM compiled WHERE source IN (SELECT source FROM temp.dropped) "         \
                 "AND " GT_TEXT_UNUSED(""))                                                        \
    X(DROP_SCENARIOS, "DELETE FROM scenario WHERE id NOT IN "                                      \
                      "(SELECT scenario FROM trial UNION SELECT scenario FROM winner "             \
                      "UNION SELECT scenario FROM rule)")                                          \
    X(DROP_KERNELS, "DELETE FROM kernel WHERE id NOT IN (SELECT kernel FROM scenario)")            \
    X(DROP_IMAGES, "DELETE FROM cubin WHERE id NOT IN (SELECT cubin FROM compiled) AND "           \
                   "length(image) <= " GT_TEXT_NUMBER(GT_LONGEST_BYTES))                           \
    X(FASTEST_TRIALS,                                                                              \
      "SELECT 0" GT_TEXT_TRIAL " FROM " GT_TEXT_TRIAL_OF                                           \
      "AND t.median > 0 AND " GT_TEXT_SOUND_TRIAL "ORDER BY t.median, t.hash LIMIT ?3")            \
    X(WISDOM, "SELECT " GT_SITE_COLUMNS(GT_PASTE_SITE) "0" GT_TEXT_WINNER GT_TEXT_TRIAL            \
                  GT_TRIAL_COLUMNS(GT_PASTE_DEFAULT) " FROM winner w" GT_TEXT_PLACE(               \
                      "w") "JOIN kernel k ON k.id = s.kernel " GT_TEXT_WON GT_TEXT_DEFAULT         \
                           "WHERE " GT_TEXT_SOUND_TRIAL "AND " GT_TEXT_SOUND_WINNER                \
                           "ORDER BY k.name, s.fixed, s.volume, s.problem, g.environment, w.id")   \
    X(RECORDS,                                                                                     \
      "SELECT " GT_SITE_COLUMNS(GT_PASTE_SITE) GT_RECORD_COLUMNS(GT_PASTE_SITE) "0" GT_TEXT_TRIAL  \
          GT_TEXT_WINNER " FROM trial t" GT_TEXT_PLACE(                                            \
              "t") "JOIN kernel k ON k.id = s.kernel "                                             \
                   "LEFT JOIN winner w ON w.gpu = t.gpu AND w.scenario = t.scenario AND "          \
                   "w.trial = t.hash AND " GT_TEXT_SOUND_WINNER GT_TEXT_DEFAULT                    \
                   "WHERE (?1 IS NULL OR k.name = ?1) AND "                                        \
                   "(?4 IS NULL OR gt_sizes_match(s.problem, ?4)) AND "                            \
                   "CASE WHEN ?2 OR w.id IS NOT NULL OR (?3 AND t.status > 1) "                    \
                   "THEN " GT_TEXT_SOUND_TRIAL "END")

typedef enum gt_sql {
#define GT_SQL_ENUM(name, text) GT_SQL_##name,
    GT_SQL_LIST(GT_SQL_ENUM)
#undef GT_SQL_ENUM
        GT_SQL_COUNT
} gt_sql;
