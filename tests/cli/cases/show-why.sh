# winner beside default, and what each axis is worth among what was tried
$FAKE show axpy --why
$FAKE show axpy --why --format json | tr '{' '\n' | grep '"axis"'
$FAKE show axpy --why --format csv | tail -9
GPUTUNE_FAKE=empty $FAKE show --why
echo "exit $?"
# axes that are better chosen together
GPUTUNE_FAKE=crossing $FAKE show axpy --why | tail -7
GPUTUNE_FAKE=crossing $FAKE show axpy --why --format json | tail -3
