# T goes to the kernel that has it; nobody has Q
$FAKE warm axpy scale -q --format csv --size n=1K --size T=half | cut -d, -f1-2
$FAKE warm axpy scale --size Q=1
