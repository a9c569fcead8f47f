# warm --sizes makes a rule for a region of sizes, and show prints it.
export GPUTUNE_FAKE=rules
$FAKE warm axpy --sizes n=64:16K,T=float --variants 4
$FAKE warm axpy --sizes 'n=2^10:1M k=3' --format csv
$FAKE show axpy --rules --format json
$FAKE warm scale ./mine.cu --sizes n=64:16K
exit_of $FAKE show scale --rules
export GPUTUNE_FAKE=
exit_of $FAKE warm axpy --sizes n=64:16K
for wrong in '' n 'n=' '=4' 'n=4:' 'n=4K:x' 'n=-1:4' 'n=4:8,9' 'n=4=5'; do
    $FAKE warm axpy --sizes "$wrong" || exits="$exits $?"
done
echo "exits:$exits"
$FAKE warm axpy --variants 4
$FAKE warm axpy --sizes n=64:16K --size n=3
$FAKE warm axpy --sizes n=64:16K --variants 0
$FAKE warm axpy --sizes n=64:16K --total-limit 9
$FAKE warm --sizes n=64:16K
