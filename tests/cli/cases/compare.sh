$FAKE compare axpy "VEC=4" "VEC=2"
# CSV has a column for the verdict, but only in comparisons.
$FAKE compare axpy "VEC=4" "VEC=2" --format csv -q | cut -d, -f18-22
$FAKE run axpy -c "VEC=4" -c "VEC=2" --format csv -q | cut -d, -f16-20
