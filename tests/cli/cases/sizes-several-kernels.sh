# A problem value applies to the kernels that declare it; Q belongs to none.
$FAKE warm axpy scale -q --format csv --size n=1K --size T=half | cut -d, -f1-2
$FAKE warm axpy scale --size Q=1
