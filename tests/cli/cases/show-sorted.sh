# show --sort orders the rows, --top limits them; a narrow table shows only axes that differ from the default.
for sort in stored time speedup date; do
    $FAKE show --all --sort $sort --format csv -q | cut -d, -f 11 | paste -sd " "
done
$FAKE show --all --sort date --top 1 --format csv -q | cut -d, -f 11 | paste -sd " "
$FAKE show --sort size
script -qec "stty cols 44; NO_COLOR=1 GPUTUNE_FAKE=restricted $FAKE show" /dev/null </dev/null | tr -d '\r'
