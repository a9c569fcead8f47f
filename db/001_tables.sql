-- What gputune remembers. Hashes are 16-byte blobs, times nanoseconds, versions as 13000 for 13.0.

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
    bucket TEXT NOT NULL,
    fixed TEXT NOT NULL,
    sizes TEXT NOT NULL, -- blank-separated, in the template's order
    volume REAL NOT NULL, -- their product, to sort by
    objective INTEGER NOT NULL,
    cache INTEGER NOT NULL,
    alignment TEXT NOT NULL,
    inputs TEXT NOT NULL,
    work_bytes REAL NOT NULL,
    work_flops REAL NOT NULL
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
    constant_bytes INTEGER NOT NULL,
    compile_ns REAL NOT NULL,
    UNIQUE (source, arch, ptx, nvrtc_version)
) STRICT;

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
    constant_bytes INTEGER NOT NULL,
    shared_bytes INTEGER NOT NULL,
    occupancy REAL NOT NULL,
    max_error REAL NOT NULL,
    compile_ns REAL NOT NULL,
    driver_version INTEGER NOT NULL,
    nvrtc_version INTEGER NOT NULL,
    created TEXT NOT NULL,
    UNIQUE (gpu, scenario, hash)
) STRICT;

CREATE TABLE winner (
    id INTEGER PRIMARY KEY,
    gpu INTEGER NOT NULL REFERENCES gpu (id),
    scenario INTEGER NOT NULL REFERENCES scenario (id),
    trial BLOB NOT NULL, -- trial.hash
    default_trial BLOB NOT NULL,
    space BLOB NOT NULL, -- what that tuning covered
    config TEXT NOT NULL,
    default_config TEXT NOT NULL,
    fallback_config TEXT, -- NULL: the same as config
    code INTEGER REFERENCES compiled (id),
    fallback INTEGER REFERENCES compiled (id),
    problem TEXT NOT NULL,
    sizes TEXT NOT NULL,
    speedup REAL NOT NULL,
    speedup_low REAL NOT NULL,
    speedup_high REAL NOT NULL,
    tie INTEGER NOT NULL,
    noisy INTEGER NOT NULL,
    modelled INTEGER NOT NULL,
    verified INTEGER NOT NULL,
    effort INTEGER NOT NULL,
    stop_reason TEXT NOT NULL,
    driver_version INTEGER NOT NULL,
    nvrtc_version INTEGER NOT NULL,
    variants INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    tuning_s REAL NOT NULL,
    created TEXT NOT NULL,
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

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
