$FAKE warm axpy -q --only VEC=1,2 --only BLOCK=64 | wc -l
$FAKE warm axpy --only VECC=1
echo "exit $?"
$FAKE warm axpy --only VEC
echo "exit $?"
$FAKE space axpy --only BLOK=64
