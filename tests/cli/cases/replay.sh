$FAKE replay space.json
$FAKE replay space.json --strategy random,model --evaluations 10,20 --workers 16 --seeds 5 --seed 1
for format in json csv md; do
    $FAKE replay space.json -s local -e 16 -f $format
done
$FAKE replay space.json -s local -e 16 -w 4 -f json
# one file that is broken does not keep the others' figures back
$FAKE replay broken.json space.json -e 16
