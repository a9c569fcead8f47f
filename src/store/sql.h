/* Every statement that is prepared. The schema is db/NNN_*.sql. */
#ifndef GT_STORE_SQL_H
#define GT_STORE_SQL_H

#define GT_SQL_COMPILED_COLUMNS                                                                    \
    "p.source, p.arch, p.ptx, p.nvrtc_version, p.registers, p.spill_bytes, "                       \
    "p.static_shared_bytes, p.local_bytes, p.constant_bytes, p.compile_ns, c.content, c.image "    \
    "FROM compiled p JOIN cubin c ON c.id = p.cubin "

#define GT_SQL_LIST(X)                                                                             \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(GPU_ID, "SELECT id FROM gpu WHERE environment = ?1")                                         \
    X(GPU_ADD, "INSERT INTO gpu (environment) VALUES (?1) ON CONFLICT DO NOTHING")                 \
    X(GPU_SAME, "SELECT 1 FROM gpu WHERE environment = ?1 AND name = ?2 AND arch = ?3 AND "        \
                "origin = ?4 AND mig_profile = ?5 AND host = ?6 AND sm_count = ?7 AND "            \
                "l2_bytes = ?8 AND memory_bytes = ?9 AND bus_width_bits = ?10 AND "                \
                "memory_clock_khz = ?11 AND sm_clock_khz = ?12 AND driver_version = ?13 AND "      \
                "nvrtc_version = ?14")                                                             \
    X(GPU_SET, "UPDATE gpu SET name = ?2, arch = ?3, origin = ?4, mig_profile = ?5, host = ?6, "   \
               "sm_count = ?7, l2_bytes = ?8, memory_bytes = ?9, bus_width_bits = ?10, "           \
               "memory_clock_khz = ?11, sm_clock_khz = ?12, driver_version = ?13, "                \
               "nvrtc_version = ?14 WHERE environment = ?1")                                       \
    X(GPU_SET_COPY, "UPDATE gpu SET copy_bytes_per_s = ?2 WHERE environment = ?1")                 \
    X(GPU_COPY, "SELECT copy_bytes_per_s FROM gpu WHERE environment = ?1")                         \
    X(KERNEL_ADD, "INSERT INTO kernel (name, identity) VALUES (?1, ?2) ON CONFLICT DO NOTHING")    \
    X(KERNEL_ID, "SELECT id FROM kernel WHERE name = ?1 AND identity = ?2")                        \
    X(SCENARIO_SET,                                                                                \
      "INSERT INTO scenario (hash, family, kernel, problem, bucket, fixed, sizes, volume, "        \
      "objective, cache, alignment, inputs, work_bytes, work_flops) "                              \
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) "                      \
      "ON CONFLICT (hash) DO UPDATE SET problem = excluded.problem, sizes = excluded.sizes, "      \
      "volume = excluded.volume, work_bytes = excluded.work_bytes, "                               \
      "work_flops = excluded.work_flops")                                                          \
    X(SCENARIO_ID, "SELECT id FROM scenario WHERE hash = ?1")                                      \
    X(CUBIN_ADD, "INSERT INTO cubin (content, image) VALUES (?1, ?2) ON CONFLICT (content) "       \
                 "DO UPDATE SET image = excluded.image WHERE image <> excluded.image")             \
    X(CUBIN_ID, "SELECT id FROM cubin WHERE content = ?1")                                         \
    X(COMPILED_SET,                                                                                \
      "INSERT INTO compiled (source, arch, ptx, nvrtc_version, cubin, registers, spill_bytes, "    \
      "static_shared_bytes, local_bytes, constant_bytes, compile_ns) "                             \
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "                                     \
      "ON CONFLICT (source, arch, ptx, nvrtc_version) DO UPDATE SET cubin = excluded.cubin, "      \
      "registers = excluded.registers, spill_bytes = excluded.spill_bytes, "                       \
      "static_shared_bytes = excluded.static_shared_bytes, local_bytes = excluded.local_bytes, "   \
      "constant_bytes = excluded.constant_bytes, compile_ns = excluded.compile_ns")                \
    X(COMPILED_ID, "SELECT id FROM compiled WHERE source = ?1 AND arch = ?2 AND ptx = ?3 AND "     \
                   "nvrtc_version = ?4")                                                           \
    X(CODE_BY_ID, "SELECT " GT_SQL_COMPILED_COLUMNS "WHERE p.id = ?1")                             \
    X(CODE_BY_SOURCE,                                                                              \
      "SELECT " GT_SQL_COMPILED_COLUMNS "WHERE p.source = ?1 AND p.arch = ?2 AND p.ptx = ?3 "      \
      "AND (?4 = 0 OR p.nvrtc_version = ?4) ORDER BY p.nvrtc_version DESC LIMIT 1")                \
    X(TRIALS, "SELECT t.hash, t.source, t.config, t.status, t.message, t.is_default, t.noisy, "    \
              "t.eliminated_round, t.shared_bytes, t.occupancy, t.max_error, t.compile_ns, "       \
              "t.driver_version, t.nvrtc_version, t.registers, t.spill_bytes, "                    \
              "t.static_shared_bytes, t.local_bytes, t.constant_bytes, t.samples, t.median, "      \
              "t.mean, t.stddev, t.low, t.high, t.min "                                            \
              "FROM trial t JOIN gpu g ON g.id = t.gpu JOIN scenario s ON s.id = t.scenario "      \
              "WHERE g.environment = ?1 AND s.hash = ?2")                                          \
    X(TRIAL_SET,                                                                                   \
      "INSERT OR REPLACE INTO trial (gpu, scenario, hash, source, config, status, message, "       \
      "is_default, noisy, samples, median, mean, stddev, low, high, min, eliminated_round, "       \
      "registers, spill_bytes, static_shared_bytes, local_bytes, constant_bytes, shared_bytes, "   \
      "occupancy, max_error, compile_ns, driver_version, nvrtc_version, created) "                 \
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "  \
      "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)")                                    \
    X(TRIAL_FAIL, "UPDATE trial SET status = ?4, message = ?5 "                                    \
                  "WHERE gpu = ?1 AND scenario = ?2 AND hash = ?3")                                \
    X(WINNER_EFFORT, "SELECT effort, space, driver_version, nvrtc_version FROM winner "            \
                     "WHERE gpu = ?1 AND scenario = ?2")                                           \
    X(WINNER_SET,                                                                                  \
      "INSERT OR REPLACE INTO winner (gpu, scenario, trial, default_trial, space, config, "        \
      "default_config, fallback_config, code, fallback, problem, sizes, speedup, speedup_low, "    \
      "speedup_high, tie, noisy, modelled, verified, effort, stop_reason, driver_version, "        \
      "nvrtc_version, variants, failed, tuning_s, created) "                                       \
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "  \
      "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)")                                              \
    X(WINNER_ID, "SELECT w.id FROM winner w JOIN gpu g ON g.id = w.gpu "                           \
                 "JOIN scenario s ON s.id = w.scenario WHERE g.environment = ?1 AND s.hash = ?2")  \
    X(WINNER,                                                                                      \
      "SELECT w.trial, w.default_trial, w.space, w.config, w.default_config, w.fallback_config, "  \
      "w.problem, w.sizes, w.speedup, w.speedup_low, w.speedup_high, w.tie, w.noisy, w.modelled, " \
      "w.verified, w.effort, w.stop_reason, w.driver_version, w.nvrtc_version, w.variants, "       \
      "w.failed, w.tuning_s, w.created, w.code, w.fallback, "                                      \
      "t.samples, t.median, t.mean, t.stddev, t.low, t.high, t.min, "                              \
      "d.samples, d.median, d.mean, d.stddev, d.low, d.high, d.min FROM winner w "                 \
      "LEFT JOIN trial t ON t.gpu = w.gpu AND t.scenario = w.scenario AND t.hash = w.trial "       \
      "LEFT JOIN trial d ON d.gpu = w.gpu AND d.scenario = w.scenario AND "                        \
      "d.hash = w.default_trial WHERE w.id = ?1")                                                  \
    X(WINNER_FAMILY, "SELECT w.id, w.sizes FROM winner w JOIN gpu g ON g.id = w.gpu "              \
                     "JOIN scenario s ON s.id = w.scenario "                                       \
                     "WHERE g.environment = ?1 AND s.family = ?2 ORDER BY w.id DESC")              \
    X(WINNER_VALIDATE, "UPDATE winner SET verified = 1, driver_version = ?2, "                     \
                       "nvrtc_version = ?3 WHERE id = ?1")                                         \
    X(WINNER_TRIAL, "SELECT gpu, scenario, trial FROM winner WHERE id = ?1")                       \
    X(WINNER_DELETE, "DELETE FROM winner WHERE id = ?1")                                           \
    X(LEASE_GET, "SELECT owner, machine, pid, start, expires_ms FROM lease WHERE key = ?1")        \
    X(LEASE_SET, "INSERT OR REPLACE INTO lease (key, owner, machine, pid, start, expires_ms) "     \
                 "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")                                                \
    X(LEASE_RENEW, "UPDATE lease SET expires_ms = ?3 WHERE key = ?1 AND owner = ?2")               \
    X(LEASE_DELETE, "DELETE FROM lease WHERE key = ?1 AND owner = ?2")                             \
    X(RECORDS,                                                                                     \
      "SELECT k.name, s.fixed, s.volume, s.problem, s.objective, s.cache, t.config, g.name, "      \
      "g.environment, g.origin, t.status, t.message, t.is_default, w.id IS NOT NULL, "             \
      "w.tie, w.noisy, t.noisy, t.median, t.mean, t.stddev, t.low, t.high, t.min, t.samples, "     \
      "t.eliminated_round, t.registers, t.spill_bytes, t.static_shared_bytes + t.shared_bytes, "   \
      "t.local_bytes, t.occupancy, t.max_error, t.compile_ns, s.work_bytes, s.work_flops, "        \
      "d.median, w.speedup, w.speedup_low, w.speedup_high, g.copy_bytes_per_s, "                   \
      "w.stop_reason, t.created, s.hash, t.hash "                                                  \
      "FROM trial t JOIN gpu g ON g.id = t.gpu JOIN scenario s ON s.id = t.scenario "              \
      "JOIN kernel k ON k.id = s.kernel "                                                          \
      "LEFT JOIN winner w ON w.gpu = t.gpu AND w.scenario = t.scenario AND w.trial = t.hash "      \
      "LEFT JOIN trial d ON d.gpu = w.gpu AND d.scenario = w.scenario AND "                        \
      "d.hash = w.default_trial "                                                                  \
      "WHERE (?1 IS NULL OR k.name = ?1) AND (?2 OR w.id IS NOT NULL)")

typedef enum gt_sql {
#define GT_SQL_ENUM(name, text) GT_SQL_##name,
    GT_SQL_LIST(GT_SQL_ENUM)
#undef GT_SQL_ENUM
        GT_SQL_COUNT
} gt_sql;

#endif
