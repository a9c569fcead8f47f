# textures of linear memory and of rows: proved, raced, and checked by the sanitizer
export GPUTUNE_DB=$PWD/x.db
templates=$(dirname "$0")/../../arguments
for name in textures scale; do
    $GPUTUNE warm "$templates/$name.cu" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
    $GPUTUNE show $name --driver emu -q --all --format csv | tail -n +2 | cut -d, -f8,9 |
        sed s,eliminated,ok, | sort
done
# a filter that is not the reference's
sed 's/filter = linear/filter = point/' "$templates/scale.cu" >point.cu
$GPUTUNE run point.cu --driver emu -q 2>&1 | grep -o 'far beyond rounding' | head -1
# rows that are not padded
sed 's/ceil_div(w, 8) \* 8/w/' "$templates/scale.cu" >packed.cu
$GPUTUNE run packed.cu -s w=100 --driver emu -q || echo "exit $?"
# reads through a texture are reads of the buffer, of which the sanitizer finds none that is wrong
$GPUTUNE check "$templates/scale.cu" --driver emu -q
