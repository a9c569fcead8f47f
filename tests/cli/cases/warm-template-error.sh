$FAKE warm ./broken.cu
