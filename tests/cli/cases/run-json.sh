$FAKE run axpy --format json
