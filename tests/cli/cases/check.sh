$FAKE check axpy
$FAKE check axpy --all --quiet
GPUTUNE_FAKE=race $FAKE check axpy --max-variants 3
echo "exit $?"
