for command in warm run space emit show; do
    $FAKE $command axpi
    echo "$command: exit $?"
done
$FAKE run nothinglikeit
$FAKE warm axpy --size n=4K m=8
