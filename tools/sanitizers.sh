# Sourced by scripts that run sanitized builds, from the top folder. gcc's sanitizers name functions without another program.
# Workers exit without cleaning up, so only the host is checked for leaks. The CUDA driver needs the gap in
# ASan's shadow; TSan would delay each ending worker by a second.
export ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:exitcode=99:protect_shadow_gap=0:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="halt_on_error=1:exitcode=98:atexit_sleep_ms=0:suppressions=$PWD/tools/tsan.supp:${TSAN_OPTIONS:-}"
export GPUTUNE_SANITIZED=1
