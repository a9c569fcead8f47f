GPUTUNE_FAKE=wrong $FAKE run axpy -c "VEC=1" -c "VEC=2" -c "VEC=4"
