# show and warm report why variants failed, and the status of the default.
export GPUTUNE_FAKE=bad-default
$FAKE show
$FAKE warm axpy
$FAKE warm axpy -q -f json | tr , '\n' | grep default_
