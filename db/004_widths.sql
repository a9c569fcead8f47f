-- Which widths the loads and stores of global memory have in the machine code, and which one the
-- vector axes ask for.

ALTER TABLE compiled ADD COLUMN load_widths INTEGER NOT NULL DEFAULT 0; -- bytes, each a bit; 0: unknown
ALTER TABLE compiled ADD COLUMN store_widths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trial ADD COLUMN load_widths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trial ADD COLUMN store_widths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trial ADD COLUMN vector_bytes INTEGER NOT NULL DEFAULT 0;
