for command in warm run space emit show; do
    $FAKE $command axpi
    echo "$command: exit $?"
done
$FAKE compare nothinglikeit A B
