# show --plot draws the best time so far over the search, and the distribution of times.
$FAKE show axpy --plot
$FAKE show axpy --plot --format csv -q | cut -d, -f 7-
GPUTUNE_FAKE=empty $FAKE show --plot
echo "exit $?"
GPUTUNE_FAKE=wrong $FAKE show axpy --plot
echo "exit $?"
