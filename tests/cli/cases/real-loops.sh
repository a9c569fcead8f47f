# Loops of launches: they are tuned, their grids are shown, and bounds that do not fit exclude variants.
folder=$(dirname "$0")/../../language
$GPUTUNE warm "$folder/floyd.cu" --driver emu -q --max-variants 3 --format csv | cut -d, -f1-3,16
$GPUTUNE run "$folder/lu.cu" --driver emu -q --size n=20 -c T=8 --format json | grep -o '"grid".*"block": "[^"]*"'
$GPUTUNE run "$folder/stencil.cu" --driver emu -q --size "n=500 steps=4" -c BLOCK=64 --format json |
    grep -o '"grid".*"block": "[^"]*"'
$GPUTUNE space "$folder/floyd.cu" --size n=65536 --arch sm_90 | sed -n '/^variants/,$p'
$GPUTUNE space "$folder/floyd.cu" --size n=65537 --arch sm_90 | sed -n '/^variants/,$p'
sed 's/k = 0; k < n; ++k/k = 0; k < n; k/' "$folder/floyd.cu" >endless.cu
$GPUTUNE space endless.cu --arch sm_90
