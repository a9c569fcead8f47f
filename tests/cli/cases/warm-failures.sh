# A scenario that fails does not stop the others.
exit_of $FAKE warm axpy --size n=1M,13,2M -q
for word in wrong broken crash busy; do
    GPUTUNE_FAKE=$word $FAKE warm axpy -q
    echo "$word: exit $?"
done
GPUTUNE_FAKE=exit $FAKE warm axpy --gpus 0 -q
echo "the only GPU's process ends: exit $?"
