# A folder of templates needs only kernels; the prelude is found in gputune's own folder.
mkdir own
cp "$GPUTUNE_TEMPLATES/copy.cu" own/mine.cu
sed -i 's/kernel(copy)/kernel(mine)/; s/ copy(/ mine(/' own/mine.cu
export GPUTUNE_DB=:memory:
$GPUTUNE kernels --templates own --format csv | cut -d, -f1
$GPUTUNE warm mine --templates own --driver emu -q -s n=1K --only BLOCK=256 --format csv | tail -n 1 | cut -d, -f1,2
exit_of $GPUTUNE kernels --templates owm
# If the folder is missing, show prints stored results; commands that need a template report the folder.
export GPUTUNE_DB=$PWD/x.db
$GPUTUNE warm copy --driver emu -q -s n=1K --only BLOCK=256 >/dev/null
export GPUTUNE_TEMPLATES=gone
$GPUTUNE show --driver emu --format csv | cut -d, -f1,2
$GPUTUNE show copy --driver emu --format csv | cut -d, -f1,2
exit_of $GPUTUNE warm copy --driver emu
