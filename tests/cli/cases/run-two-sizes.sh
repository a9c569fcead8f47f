$FAKE run axpy --size n=1M,2M
