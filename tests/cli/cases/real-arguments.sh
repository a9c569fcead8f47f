# arguments as kernels have them: vectors, bool, char, structs
export GPUTUNE_DB=$PWD/x.db
templates=$(dirname "$0")/../../arguments
for name in vectors halves particles; do
    $GPUTUNE warm "$templates/$name.cu" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
    $GPUTUNE show $name --driver emu -q --all --format csv | tail -n +2 | cut -d, -f8,9 |
        sed s,eliminated,ok, | sort
done
# a wrong component is named
sed 's/make_int2(count/make_int2(BLOCK == 128 ? 7 : count/' "$templates/vectors.cu" >wrong.cu
$GPUTUNE run wrong.cu --config BLOCK=128 --driver emu -q 2>&1 | sed 's/\[[0-9]*\]/[?]/'
# so is a number of a struct, and its type is its own
sed 's/b.kind = (b.kind + 1)/b.kind = (b.kind + (BLOCK == 128 ? 2 : 1))/' "$templates/particles.cu" >wrong.cu
$GPUTUNE run wrong.cu --config BLOCK=128 --driver emu -q 2>&1 | sed 's/is [0-3], expected [0-3]/is ?, expected ?/'
# the compiler confirms how gputune lays a struct out
sed '/^struct step/i #pragma pack(push, 1)' "$templates/particles.cu" >packed.cu
$GPUTUNE run packed.cu --driver emu -q 2>&1 | grep -o 'gputune reads struct step.*'
