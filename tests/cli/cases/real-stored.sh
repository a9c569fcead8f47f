# where all is stored no compile worker starts; where something is not, some start with the driver
exec 2>&1
export GPUTUNE_DB=$PWD/x.db
cat >worker <<WORKER
#!/bin/sh
case "\$*" in *"role compile"*) echo "\$*" >>$PWD/starts ;; esac
exec $GPUTUNE_WORKER "\$@"
WORKER
chmod +x worker
warm() { # OPTION...: by its path the emulator is a driver as others, whose start workers have time in
    : >starts
    GPUTUNE_WORKER=$PWD/worker $GPUTUNE warm axpy --driver "$GPUTUNE_EMULATOR" -q --only VEC=1 --only BLOCK=64 --only UNROLL=1 \
        --cache hot --format csv "$@" >table
    echo "exit $?"
    tail -n +2 table | cut -d, -f2,16
    if [ -s starts ]; then
        echo "compile workers"
    fi
}
warm --size n=1000
warm --size n=1000
echo "one of two:"
warm --size n=1000,2000
warm --size n=1000,2000
echo "on several GPUs:"
GPUTUNE_EMU_DEVICES=h200,h200 warm --size n=1000,2000 --gpus all
echo "other terms:"
warm --size n=1000 --cache cold
warm --size n=1000 --force
echo "a mistake is told once:"
warm --size n=1X
warm --size m=1000
