for size in n=4K n=4k,7^0,1024G,00012 n=2^20 n=2^40 "n=1M,2M" "n=1 n=2"; do
    $FAKE warm axpy -q --format csv --size "$size" | cut -d, -f1-2 | tail -n +2
done
$FAKE warm axpy -q --format csv --size n=1 --size n=2 | cut -d, -f1-2 | tail -n +2
$FAKE warm scale -q --format csv --size n=1K,2K,T=half,float | cut -d, -f1-2 | tail -n +2
