$FAKE warm ./mine.cu -q --format csv | cut -d, -f1-2
