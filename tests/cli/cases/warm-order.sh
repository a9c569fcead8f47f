# Each kernel is tuned from its middle size outward; the rows have the given order.
$FAKE warm axpy scale --size n=16M,1K,1M --format csv 2>notes | cut -d, -f1,2
cut -d: -f2 notes
