$FAKE space axpy --arch sm_80
$FAKE space axpy --arch sm_90 --format csv
