# Sourced by scripts in the top folder, with $build set: the environment of tests and the demo, independent of
# the caller's.
umask 022 # gputune does not trust group-writable files
build=$(cd "$build" && pwd)
export GPUTUNE_WORKER="$build/gputune-worker" GPUTUNE_EMULATOR="$build/libgputune-emu.so"
export GPUTUNE_TEMPLATES="$PWD/templates"
export LC_ALL=C.UTF-8
if [ -z "${GPUTUNE_NVRTC:-}" ]; then
    # the wheel that tools/setup downloads without a toolkit
    for file in build/nvrtc/nvidia/*/lib/libnvrtc.so.1[0-9]; do
        if [ -e "$file" ]; then
            export GPUTUNE_NVRTC="$PWD/$file"
        fi
    done
fi
if [ -z "${GPUTUNE_LIBCLANG:-}" ] && [ -e build/libclang/clang/native/libclang.so ]; then
    export GPUTUNE_LIBCLANG="$PWD/build/libclang/clang/native/libclang.so" # tools/setup downloads it
fi
