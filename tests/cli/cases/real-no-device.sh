# Messages about --device none, and about an unknown device of the emulator.
export GPUTUNE_DB=:memory:
for command in "warm axpy" "space axpy"; do
    $GPUTUNE $command --device none
    echo "$command: exit $?"
done
$GPUTUNE space axpy --device none --arch sm_90 -f csv | sed -n 1p
$GPUTUNE show --device none
echo "show: exit $?"
$GPUTUNE devices --driver emu:foo
$GPUTUNE warm axpy --driver emu:h20
GPUTUNE_DRIVER=emu:foo exit_of $GPUTUNE show
# The message and the man page list every device profile.
for profile in "$(dirname "$0")"/../../../src/emulator/profiles/*.profile; do
    name=$(basename "$profile" .profile)
    $GPUTUNE devices --driver emu:none-such 2>&1 | grep -c "$name"
    grep -c "profiles are .*$name" "$(dirname "$0")/../../../tools/man/gputune.1"
done
$GPUTUNE show --driver emu:a100 --device 7
