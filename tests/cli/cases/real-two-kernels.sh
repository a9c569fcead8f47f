# A file with two kernels: warm and show handle both, run needs one of them.
folder=$(dirname "$0")/../../language
cp "$folder/two_kernels.cu" pair.cu
$GPUTUNE warm ./pair.cu --driver emu -q --format csv | cut -d, -f1-3,16
$GPUTUNE show ./pair.cu --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE show pair.cu:add --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE run ./pair.cu:scale --driver emu -q --format csv | cut -d, -f1-3
exit_of $GPUTUNE run pair.cu --driver emu
exit_of $GPUTUNE warm pair.cu:sub --driver emu
# A name that two files of the folder define is reported; their paths tell them apart.
mkdir templates
cp pair.cu "$GPUTUNE_TEMPLATES/gputune.cuh" templates
sed 's/add/subtract/' pair.cu >templates/other.cu
export GPUTUNE_TEMPLATES=$PWD/templates
$GPUTUNE show add --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE space scale --arch sm_90 2>&1 | sed "s|$PWD/||g"
$GPUTUNE warm templates/pair.cu templates/other.cu --driver emu -q --format csv | cut -d, -f1-3
# export and forget of a file apply to all its kernels; show sorts rows by name.
$GPUTUNE export pair.cu 2>&1 | sed 's/scenario [0-9a-f]*/scenario HASH/'
$GPUTUNE export pair.cu:add | grep -c '"kernel_name": "add"'
$GPUTUNE forget pair.cu --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE show pair.cu --driver emu 2>&1 | grep -v emulated
# A reference that crashes only on later inputs does not affect the file's next kernel.
unset GPUTUNE_TEMPLATES
cat >crash.cu <<'END'
#pragma gputune problem(n = 1000) args(out float y[n], in float x[n] = uniform(0, 60), int n)
#pragma gputune tune(B = 64) block(B) grid(ceil_div(n, B)) reference(self)
#pragma gputune kernel(one)
__global__ void one(float *y, const float *x, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[n == 1000 && x[0] < 59 ? 1 << 28 : i] = x[i]; // x[0] is 59.3 at first
}
#pragma gputune kernel(two)
__global__ void two(float *y, const float *x, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = x[i];
}
END
$GPUTUNE warm crash.cu --driver emu -q --format csv 2>&1 | cut -d, -f1,2 | cut -d: -f1-3
