$FAKE check axpy --format json
GPUTUNE_FAKE=race $FAKE check axpy --format json
