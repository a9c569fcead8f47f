# Winners are copied between databases as text, and are verified again before they count as measured.
export GPUTUNE_DRIVER=emu
narrow="--only VEC=1,4 --only BLOCK=64 --only UNROLL=1"
export GPUTUNE_DB=here.db
$GPUTUNE warm axpy -q $narrow -s n=1000,2000 --format csv | wc -l
$GPUTUNE wisdom export >every.wisdom
head -n 1 every.wisdom
$GPUTUNE wisdom export axpy -s n=1K -o none.wisdom || echo "exit $?"
$GPUTUNE wisdom export axpy -s n=2000 -o one.wisdom
$GPUTUNE wisdom export --any-gpu -o all.wisdom
$GPUTUNE wisdom export --gpu a100 || echo "exit $?"
echo == there
export GPUTUNE_DB=there.db
$GPUTUNE wisdom import all.wisdom one.wisdom
$GPUTUNE show axpy --format json | grep -o '"unproved": [a-z]*'
$GPUTUNE show axpy | grep -c 'unproved'
$GPUTUNE wisdom export axpy -o again.wisdom
grep -c '^entry' again.wisdom
$GPUTUNE wisdom export axpy -s n=7 -o again.wisdom || echo "exit $?, $(head -n 1 again.wisdom)"
$GPUTUNE wisdom import --trust --device none --db login.db all.wisdom
GPUTUNE_DB=login.db $GPUTUNE show axpy --format json | grep -o '"unproved": [a-z]*'
$GPUTUNE warm axpy -q $narrow -s n=1000,2000 --format json | grep -o '"source": "[a-z]*"'
echo == mistakes
sed 's/VEC=1/VEC=2/' one.wisdom >edited.wisdom
$GPUTUNE wisdom import edited.wisdom || echo "exit $?"
$GPUTUNE wisdom import "$0" 2>&1 | sed "s|$0|this|g"
$GPUTUNE wisdom import absent || echo "exit $?"
$GPUTUNE wisdom import || echo "exit $?"
$GPUTUNE wisdom export axpy copy || echo "exit $?"
$GPUTUNE wisdom || echo "exit $?"
$GPUTUNE wisdom export nothing -o again.wisdom 2>&1 | grep -o "no kernel 'nothing'"
