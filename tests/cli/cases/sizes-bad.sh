for size in n=-1 n=2T n=2^41 n=99999999999999999999999 n=1X n=1KB n=1.5M n=2^ n=2^3^4 n=- n= n =1 1 "" n=1,, 1n=2 \
    "n=4 m=3" m=4; do
    exit_of $FAKE warm axpy --size "$size"
done
