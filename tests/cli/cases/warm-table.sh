$FAKE warm axpy scale --size n=1M,16M
