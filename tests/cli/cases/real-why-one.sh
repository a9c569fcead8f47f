# show --why prints no table of axes if only one variant was tried.
export GPUTUNE_DB=$PWD/x.db GPUTUNE_DRIVER=emu
$GPUTUNE warm axpy --size n=1000 --max-variants 1 >/dev/null 2>&1
$GPUTUNE show axpy --why 2>&1 | tail -5
