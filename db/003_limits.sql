-- What did not finish in a call is remembered with that call's limit; code is dropped by its source.

ALTER TABLE trial ADD COLUMN limit_ns REAL NOT NULL DEFAULT 0; -- 0: more time would not help

CREATE INDEX winner_code ON winner (code_source);
CREATE INDEX winner_fallback ON winner (fallback_source);
CREATE INDEX compiled_cubin ON compiled (cubin);
