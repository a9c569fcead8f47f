// <nvtx3/nvToolsExt.h> for kernels, which NVRTC does not compile: only host code uses it.
#pragma once
