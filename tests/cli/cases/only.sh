$FAKE warm axpy -q --only VEC=1,2 --only BLOCK=64 | wc -l
exit_of $FAKE warm axpy --only VECC=1
exit_of $FAKE warm axpy --only VEC
$FAKE space axpy --only BLOK=64
