$FAKE compare axpy "VEC=4" "VEC=2"
# the verdict is data too, of a comparison only
$FAKE compare axpy "VEC=4" "VEC=2" --format csv -q | cut -d, -f18-22
$FAKE run axpy -c "VEC=4" -c "VEC=2" --format csv -q | cut -d, -f16-20
