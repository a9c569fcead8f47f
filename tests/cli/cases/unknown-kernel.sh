for command in warm run space emit show; do
    $FAKE $command axpi
    echo "$command: exit $?"
done
$FAKE compare nothinglikeit A B
$FAKE warm axpy --size n=4K m=8
