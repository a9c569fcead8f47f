export GPUTUNE_FAKE=empty
exit_of $FAKE show
exit_of $FAKE show scale
exit_of $FAKE show --any-gpu
exit_of $FAKE show --format json
$FAKE show axpi
