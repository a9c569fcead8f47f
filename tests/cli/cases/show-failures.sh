# why variants failed is said by show and warm, and what became of the default
export GPUTUNE_FAKE=bad-default
$FAKE show
$FAKE warm axpy
$FAKE warm axpy -f json | tr , '\n' | grep default_
