$FAKE devices
$FAKE devices --driver emu
$FAKE devices --format json
