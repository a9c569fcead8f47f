# Numbers have a decimal point in every locale.
sh "$(dirname "$0")/../../support/comma-locale" .
unset LC_ALL
export LOCPATH=$PWD
for format in csv json table; do
    $FAKE show --all --format $format >plain
    LC_NUMERIC=comma $FAKE show --all --format $format >out
    cmp plain out && echo "$format: the same"
done
export LC_NUMERIC=comma
$FAKE warm axpy --time-limit 0.5 -q >out
echo "exit $?"
exit_of $FAKE warm axpy --time-limit 0,5
$FAKE warm axpy --max-variants 1K -q >out
echo "exit $?"
