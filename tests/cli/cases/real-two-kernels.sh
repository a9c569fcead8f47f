# a file with two kernels: warmed and shown together, run one at a time
export GPUTUNE_DB=$PWD/x.db
folder=$(dirname "$0")/../../language
cp "$folder/two_kernels.cu" pair.cu
$GPUTUNE warm ./pair.cu --driver emu -q --format csv | cut -d, -f1-3,16
$GPUTUNE show ./pair.cu --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE show pair.cu:add --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE run ./pair.cu:scale --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE run pair.cu --driver emu
echo "exit $?"
$GPUTUNE warm pair.cu:sub --driver emu
echo "exit $?"
# one rule for names: a kernel's, a file's; two of one name are told
mkdir templates
cp pair.cu "$GPUTUNE_TEMPLATES/gputune.cuh" templates
sed 's/add/subtract/' pair.cu >templates/other.cu
export GPUTUNE_TEMPLATES=$PWD/templates
$GPUTUNE show add --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE warm pair --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE space scale --arch sm_90 2>&1 | sed "s|$PWD/||g"
$GPUTUNE warm templates/pair.cu templates/other.cu --driver emu
echo "exit $?"
