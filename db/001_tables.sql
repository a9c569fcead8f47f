-- What gputune remembers. Hashes are 16-byte blobs, times nanoseconds, versions as 13000 for 13.0.
-- A file is used only if its tables are these, word for word (src/store/schema.h). They do not change
-- after a release.
--
-- A checksum is gt_checksum() of the row and of what the row belongs to (src/store/sql.h).

-- One environment: the kind of GPU (and host, where it matters) that records answer for.
CREATE TABLE gpu (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL DEFAULT '',
    arch TEXT NOT NULL DEFAULT '',
    origin TEXT NOT NULL DEFAULT '',
    mig_profile TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '',
    sm_count INTEGER NOT NULL DEFAULT 0,
    l2_bytes INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    bus_width_bits INTEGER NOT NULL DEFAULT 0,
    memory_clock_khz INTEGER NOT NULL DEFAULT 0,
    sm_clock_khz INTEGER NOT NULL DEFAULT 0,
    driver_version INTEGER NOT NULL DEFAULT 0,
    nvrtc_version INTEGER NOT NULL DEFAULT 0,
    copy_bytes_per_s REAL NOT NULL DEFAULT 0
) STRICT;

-- A template by name and identity (its token stream, arguments, reference, tolerances, work).
CREATE TABLE kernel (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    identity BLOB NOT NULL,
    UNIQUE (name, identity)
) STRICT;

-- What was asked for. `family` is the key without the run-time sizes, for the nearest size.
CREATE TABLE scenario (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    family BLOB NOT NULL,
    kernel INTEGER NOT NULL REFERENCES kernel (id),
    problem TEXT NOT NULL,
    bucket TEXT NOT NULL, -- what represents the problem in the hash
    fixed TEXT NOT NULL,
    sizes TEXT NOT NULL, -- blank-separated, in the template's order
    volume REAL NOT NULL, -- their product, to sort by
    objective INTEGER NOT NULL,
    cache INTEGER NOT NULL,
    alignment TEXT NOT NULL,
    inputs TEXT NOT NULL,
    work_bytes REAL NOT NULL,
    work_flops REAL NOT NULL,
    unreferenced INTEGER NOT NULL DEFAULT 0 -- no reference() and no check(): the default is taken as right
) STRICT;
CREATE INDEX scenario_family ON scenario (family);

-- Machine code (or PTX) by its content's hash, which is its checksum too.
CREATE TABLE cubin (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL UNIQUE,
    image BLOB NOT NULL
) STRICT;

-- Which source became which code.
CREATE TABLE compiled (
    id INTEGER PRIMARY KEY,
    source BLOB NOT NULL,
    arch TEXT NOT NULL,
    ptx INTEGER NOT NULL,
    nvrtc_version INTEGER NOT NULL,
    cubin INTEGER NOT NULL REFERENCES cubin (id),
    registers INTEGER NOT NULL,
    spill_bytes INTEGER NOT NULL,
    static_shared_bytes INTEGER NOT NULL,
    local_bytes INTEGER NOT NULL,
    compile_ns REAL NOT NULL,
    checksum BLOB NOT NULL DEFAULT x'',
    UNIQUE (source, arch, ptx, nvrtc_version)
) STRICT;
CREATE INDEX compiled_cubin ON compiled (cubin);

-- One configuration tried in a scenario on a kind of GPU.
CREATE TABLE trial (
    id INTEGER PRIMARY KEY,
    gpu INTEGER NOT NULL REFERENCES gpu (id),
    scenario INTEGER NOT NULL REFERENCES scenario (id),
    hash BLOB NOT NULL,
    source BLOB NOT NULL,
    config TEXT NOT NULL,
    status INTEGER NOT NULL,
    message TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    noisy INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    median REAL NOT NULL,
    mean REAL NOT NULL,
    stddev REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    min REAL NOT NULL,
    eliminated_round INTEGER NOT NULL,
    registers INTEGER NOT NULL,
    spill_bytes INTEGER NOT NULL,
    static_shared_bytes INTEGER NOT NULL,
    local_bytes INTEGER NOT NULL,
    vector_bytes INTEGER NOT NULL,
    shared_bytes INTEGER NOT NULL,
    occupancy REAL NOT NULL,
    max_error REAL NOT NULL,
    compile_ns REAL NOT NULL,
    driver_version INTEGER NOT NULL,
    nvrtc_version INTEGER NOT NULL,
    limit_ns REAL NOT NULL,
    proved_at TEXT NOT NULL,
    created TEXT NOT NULL,
    checksum BLOB NOT NULL DEFAULT x'',
    UNIQUE (gpu, scenario, hash)
) STRICT;

-- The result of a tuning, one for each space.
CREATE TABLE winner (
    id INTEGER PRIMARY KEY,
    gpu INTEGER NOT NULL REFERENCES gpu (id),
    scenario INTEGER NOT NULL REFERENCES scenario (id),
    sizes TEXT NOT NULL,
    space BLOB NOT NULL, -- which variants were to be tried
    variant_limit INTEGER NOT NULL, -- at most so many of them; 0: all
    effort INTEGER NOT NULL,
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
-- Code is dropped by its source.
CREATE INDEX winner_code ON winner (code_source);
CREATE INDEX winner_fallback ON winner (fallback_source);

-- A rule that chooses a variant for each size of a region. Its scenario has the region as its problem
-- and the bucket 'rule'.
CREATE TABLE rule (
    id INTEGER PRIMARY KEY,
    gpu INTEGER NOT NULL REFERENCES gpu (id),
    scenario INTEGER NOT NULL REFERENCES scenario (id),
    text TEXT NOT NULL,
    sources TEXT NOT NULL, -- the sources of its variants in order, in hexadecimal
    driver_version INTEGER NOT NULL,
    nvrtc_version INTEGER NOT NULL,
    proved INTEGER NOT NULL,
    created TEXT NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (gpu, scenario)
) STRICT;

-- Who is tuning what. Machine: boot id and process namespace; start: clock ticks since boot.
CREATE TABLE lease (
    key BLOB PRIMARY KEY,
    owner BLOB NOT NULL,
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    start INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL -- UNIX time
) STRICT;

-- The clock rates of each GPU, which are part of its environment. A driver takes a millisecond to
-- report them: half of what a process needs whose winner is stored. Another version of the driver is
-- asked again.
CREATE TABLE clock_rate (
    uuid TEXT NOT NULL,
    origin TEXT NOT NULL,
    driver_version INTEGER NOT NULL,
    memory_clock_khz INTEGER NOT NULL,
    sm_clock_khz INTEGER NOT NULL,
    PRIMARY KEY (uuid, origin)
) STRICT, WITHOUT ROWID;
