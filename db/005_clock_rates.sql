-- The clock rates of each GPU, which are part of its environment. A driver takes a millisecond to tell
-- them: half of what a process needs whose winner is stored. Another version of the driver is asked anew.

CREATE TABLE clock_rate (
    uuid TEXT NOT NULL,
    origin TEXT NOT NULL,
    driver_version INTEGER NOT NULL,
    memory_clock_khz INTEGER NOT NULL,
    sm_clock_khz INTEGER NOT NULL,
    PRIMARY KEY (uuid, origin)
) STRICT, WITHOUT ROWID;
