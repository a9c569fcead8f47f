# Repeated kernels and sizes are tuned once.
$FAKE warm axpy scale axpy -s n=1K -s n=1024,2^10 -s n=2K -q -f csv | cut -d, -f1,2
$FAKE space axpy -s n=1K,1024 -f csv | sed -n 1p
