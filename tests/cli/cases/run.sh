$FAKE run axpy
$FAKE run axpy --config "VEC=4 BLOCK=64" --config "VEC=1" --objective energy --size n=1M
