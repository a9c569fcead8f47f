$FAKE check axpy
$FAKE check axpy --all --quiet
GPUTUNE_FAKE=race exit_of $FAKE check axpy --max-variants 3
