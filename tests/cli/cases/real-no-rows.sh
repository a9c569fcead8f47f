# A table without rows has no header.
$GPUTUNE run axpy --driver emu --config VEC=3
$GPUTUNE show --driver emu
$GPUTUNE show --driver emu --format csv | cut -d, -f1-3
