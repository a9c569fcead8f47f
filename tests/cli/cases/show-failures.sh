# show and warm report why variants failed with the same inputs, and the status of the default.
export GPUTUNE_FAKE=bad-default
$FAKE show
$FAKE warm axpy
$FAKE warm axpy --seed 2 2>&1 | grep -c 'wrong results'
$FAKE warm axpy -q -f json | tr , '\n' | grep default_
