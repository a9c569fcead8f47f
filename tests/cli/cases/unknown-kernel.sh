for command in warm run space emit show; do
    $FAKE $command axpi
    echo "$command: exit $?"
done
GPUTUNE_FAKE=empty $FAKE warm nothinglikeit --report page.html
ls
$FAKE warm axpy --size n=4K m=8 --report .
$FAKE warm axpy --size n=4K m=8
