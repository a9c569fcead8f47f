# show --why prints the winner beside the default, and the cost of each axis value.
$FAKE show axpy --why
$FAKE show axpy --why --format json | tr '{' '\n' | grep '"axis"'
GPUTUNE_FAKE=empty exit_of $FAKE show --why
# Energies have their unit everywhere.
GPUTUNE_FAKE=energy $FAKE show axpy --why 2>/dev/null | head -n 6
