-- A winner is kept for each space, with what it was made under; rows have checksums.

-- No reference() and no check(): the default is taken as right.
ALTER TABLE scenario ADD COLUMN unreferenced INTEGER NOT NULL DEFAULT 0;

-- gt_checksum() of the row and of what it belongs to: src/store/sql.h. Rows that were here before
-- get theirs after the last step.
ALTER TABLE compiled ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';
ALTER TABLE trial ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';

CREATE TABLE space_winner (
    id INTEGER PRIMARY KEY,
    gpu INTEGER NOT NULL REFERENCES gpu (id),
    scenario INTEGER NOT NULL REFERENCES scenario (id),
    sizes TEXT NOT NULL,
    space BLOB NOT NULL, -- which variants were to be tried
    variant_limit INTEGER NOT NULL, -- at most so many of them; 0: all
    effort INTEGER NOT NULL,
    isolation INTEGER NOT NULL,
    driver_version INTEGER NOT NULL,
    complete INTEGER NOT NULL, -- every variant was tried
    final INTEGER NOT NULL, -- 0: the tuning was ended before it had decided
    proved INTEGER NOT NULL,
    trial BLOB NOT NULL, -- trial.hash
    default_trial BLOB NOT NULL,
    config TEXT NOT NULL,
    default_config TEXT NOT NULL,
    fallback_config TEXT, -- NULL: the same as config
    only_text TEXT NOT NULL, -- the restrictions; '': the whole space
    problem TEXT NOT NULL,
    code_source BLOB NOT NULL, -- these four lead to a row of compiled
    code_arch TEXT NOT NULL,
    code_ptx INTEGER NOT NULL,
    code_nvrtc INTEGER NOT NULL,
    fallback_source BLOB NOT NULL, -- zero: the same as code
    fallback_arch TEXT NOT NULL,
    fallback_ptx INTEGER NOT NULL,
    fallback_nvrtc INTEGER NOT NULL,
    speedup REAL NOT NULL,
    speedup_low REAL NOT NULL,
    speedup_high REAL NOT NULL,
    tie INTEGER NOT NULL,
    noisy INTEGER NOT NULL,
    modelled INTEGER NOT NULL,
    stop_reason TEXT NOT NULL,
    nvrtc_version INTEGER NOT NULL,
    variants INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    tuning_s REAL NOT NULL,
    created TEXT NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (gpu, scenario, space)
) STRICT;
-- The space of a tuning that was cut short was zero.
INSERT INTO space_winner
SELECT w.id, w.gpu, w.scenario, w.sizes, w.space, 0, w.effort, 0, w.driver_version,
    w.space <> zeroblob(16), w.space <> zeroblob(16), w.verified, w.trial, w.default_trial, w.config, w.default_config,
    w.fallback_config, '', w.problem,
    coalesce(c.source, zeroblob(16)), coalesce(c.arch, ''), coalesce(c.ptx, 0),
    coalesce(c.nvrtc_version, 0),
    coalesce(f.source, zeroblob(16)), coalesce(f.arch, ''), coalesce(f.ptx, 0),
    coalesce(f.nvrtc_version, 0),
    w.speedup, w.speedup_low, w.speedup_high, w.tie, w.noisy, w.modelled, w.stop_reason,
    w.nvrtc_version, w.variants, w.failed, w.tuning_s, w.created, x''
FROM winner w
LEFT JOIN compiled c ON c.id = w.code
LEFT JOIN compiled f ON f.id = w.fallback;
DROP TABLE winner;
ALTER TABLE space_winner RENAME TO winner;
DROP TABLE meta;
