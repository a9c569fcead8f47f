-- What a trial was proved right at, or failed at: elsewhere it has to be proved, and may be right.

ALTER TABLE trial ADD COLUMN proved_at TEXT NOT NULL DEFAULT ''; -- '': not known
