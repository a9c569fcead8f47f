"""Launches axpy by a rule, without gputune, through a library made of the header.

    gputune warm axpy --sizes n=64:64K
    gputune emit axpy --rule -o axpy.h
    cc -shared -fPIC -DAXPY_API= -x c axpy.h -o libaxpy.so -lcuda
    python rule.py ./libaxpy.so
"""
import ctypes
import sys
from ctypes import byref, c_float, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p

axpy = ctypes.CDLL(sys.argv[1])  # also finds the functions of libcuda, which it links
axpy.axpy_rule_bytes.restype = c_size_t
axpy.axpy_configuration.restype = ctypes.c_char_p
axpy.axpy_launch.argtypes = [c_void_p, c_void_p, c_int64, c_uint64, c_uint64, c_float]
axpy.axpy_choose.argtypes = [c_int64]


def check(result: int) -> None:
    if result:
        sys.exit(f"error {result}")


N = 4096
device, context, y, x = c_int(), c_void_p(), c_uint64(), c_uint64()
check(axpy.cuInit(0))
check(axpy.cuDeviceGet(byref(device), 0))
check(axpy.cuDevicePrimaryCtxRetain(byref(context), device))
check(axpy.cuCtxSetCurrent(context))
for buffer in y, x:
    check(axpy.cuMemAlloc_v2(byref(buffer), c_size_t(4 * N)))
    check(axpy.cuMemsetD32_v2(buffer, c_uint(0x3F800000), c_size_t(N)))  # 1.0

rule = ctypes.create_string_buffer(axpy.axpy_rule_bytes())
check(axpy.axpy_load(rule))
print(axpy.axpy_configuration(axpy.axpy_choose(N)).decode())
check(axpy.axpy_launch(rule, None, N, y, x, 2))
check(axpy.cuCtxSynchronize())
first = c_float()
check(axpy.cuMemcpyDtoH_v2(byref(first), y, c_size_t(4)))
print(f"y[0] = {first.value:g}")
axpy.axpy_unload(rule)
