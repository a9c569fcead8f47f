# A kernel that synchronises its grid is launched cooperatively, with grids that fit on the GPU.
export GPUTUNE_DB=$PWD/x.db
template=$(dirname "$0")/../../language/grid_sync.cu
$GPUTUNE space "$template" --driver emu --size n=1M
$GPUTUNE warm "$template" --driver emu -q --size n=2000 --format csv | cut -d, -f1-3,16
$GPUTUNE run "$template" --driver emu -q --size n=5000 --config BLOCKS_PER_SM=1 --config BLOCKS_PER_SM=64 --format csv | cut -d, -f1-3
