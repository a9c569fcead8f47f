# winner beside default, and what each axis is worth among what was tried
$FAKE show axpy --why
$FAKE show axpy --why --format md
$FAKE show axpy --why --format json | tr '{' '\n' | grep '"axis"'
$FAKE show axpy --why --format csv | tail -7
GPUTUNE_FAKE=empty $FAKE show --why
echo "exit $?"
