export GPUTUNE_FAKE=empty
$FAKE show
echo "exit $?"
$FAKE show scale
echo "exit $?"
$FAKE show --any-gpu
echo "exit $?"
$FAKE show --format json
echo "exit $?"
$FAKE show axpi
