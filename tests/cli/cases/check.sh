$FAKE check axpy
$FAKE check axpy --all --quiet
GPUTUNE_FAKE=race $FAKE check axpy --max-variants 3
GPUTUNE_FAKE=race $FAKE warm axpy --check
echo "exit $?"
$FAKE warm --check --from nothing.json
