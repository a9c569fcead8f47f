$FAKE warm axpy -q --force --objective latency --cache hot --format csv | cut -d, -f3,4,17-
