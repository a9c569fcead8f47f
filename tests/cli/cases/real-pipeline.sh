# two kernels as one: tuned, shown, run; the second may begin early where the GPU can
export GPUTUNE_DB=$PWD/x.db
template=$(dirname "$0")/../../../examples/normalise.cu
$GPUTUNE space "$template" --arch sm_80
$GPUTUNE warm "$template" --driver emu -q --size n=3000 --only BLOCK=64 --format csv | cut -d, -f1-3,16
$GPUTUNE show "$template" --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE run "$template" --driver emu -q --size n=3000 --config EARLY=1 --format csv | cut -d, -f1-3
# the grids and blocks of all its kernels
$GPUTUNE show "$template" --driver emu -q | head -n 1 | grep -o 'grids *blocks'
$GPUTUNE show "$template" --driver emu -q --format json | grep -o '"grid.*"block": "[^"]*"'
$GPUTUNE run "$template" --driver emu -q --size n=3000 --config EARLY=1 --format json | grep -o '"grid.*"block": "[^"]*"'
$GPUTUNE warm "$template" --driver emu -q --size n=3000 --only BLOCK=64 --format json | grep -o '"grid.*"block": "[^"]*"'
# clusters and a cooperative launch in one of the kernels
shares=$(dirname "$0")/../../language/shares.cu
$GPUTUNE space "$shares" --arch sm_80 | sed -n '/^variants/,$p'
$GPUTUNE space "$shares" --arch sm_90 | sed -n '/^variants/,$p'
$GPUTUNE run "$shares" --driver emu:h200 -q -c SIZE=1 -c SIZE=4 --format json | grep -o '"grid".*"block": "[^"]*"'
$GPUTUNE run "$shares" --driver emu:h200 -q -c SIZE=1,BLOCK=128 -c SIZE=4 --format csv | cut -d, -f8,9
# one of several launches in a row
sed 's/args = (partial, y, n)/&, times = 1 + EARLY/; s/gputune reference.*/gputune reference(self, EARLY = 0, rtol = 1e-4)/' "$template" >again.cu
$GPUTUNE run ./again.cu --driver emu -q --size n=3000 -c EARLY=0 -c EARLY=1 --format json | grep -o '"grid".*"block": "[^"]*"'
# a kernel that launches kernels itself
cat >parent.cu <<'F'
#pragma gputune kernel(parent) args(out int x[4]) block(1) grid(1)
__global__ void child(int *x) { *x = 1; }
__global__ void parent(int *x) { child<<<1, 1>>>(x); }
F
$GPUTUNE emit ./parent.cu --driver emu --as ptx
