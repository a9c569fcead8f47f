export GPUTUNE_DB=:memory:
# what was searched is said, on one line
$GPUTUNE warm axpy --driver ./libnothing.so 2>err
echo "exit $?"
wc -l <err
grep -c libnothing.so err
GPUTUNE_DRIVER=./libnothing.so $GPUTUNE run axpy 2>/dev/null
echo "exit $?"
