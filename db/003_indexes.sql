-- Code is dropped by its source.

CREATE INDEX winner_code ON winner (code_source);
CREATE INDEX winner_fallback ON winner (fallback_source);
CREATE INDEX compiled_cubin ON compiled (cubin);
