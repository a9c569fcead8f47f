# A table without rows has no header.
export GPUTUNE_DB=$PWD/x.db
$GPUTUNE run axpy --driver emu --config VEC=3
$GPUTUNE show --driver emu
$GPUTUNE show --driver emu --format csv | cut -d, -f1-3
