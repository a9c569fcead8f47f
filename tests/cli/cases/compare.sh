$FAKE compare axpy "VEC=4" "VEC=2"
