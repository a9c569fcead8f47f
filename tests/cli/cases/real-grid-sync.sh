# A kernel that synchronises its grid is launched cooperatively, with grids that fit on the GPU.
export GPUTUNE_DB=:memory:
template=$(dirname "$0")/../../language/grid_sync.cu
$GPUTUNE space "$template" --driver emu --size n=1M --format csv | grep BLOCKS_PER_SM
