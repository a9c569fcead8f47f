-- A driver takes longer to tell a GPU's clock rates, which are part of its environment, than all else
-- that a process asks for whose winner is stored.

CREATE TABLE clock_rate (
    uuid TEXT NOT NULL,
    origin TEXT NOT NULL,
    driver_version INTEGER NOT NULL,
    memory_clock_khz INTEGER NOT NULL,
    sm_clock_khz INTEGER NOT NULL,
    PRIMARY KEY (uuid, origin)
) STRICT, WITHOUT ROWID;
