"""Exceptions: one for each status of gputune.h, under one base. They can be pickled."""
from __future__ import annotations

from typing import Any

from . import _abi

_NAMES = {value: name[len("GPUTUNE_"):] for name, value in vars(_abi).items()
          if name.startswith("GPUTUNE_E") and isinstance(value, int) and value < 0}


class Error(Exception):
    """A failed call. `status` is the gputune_status, `name` its name ("ENOTFOUND")."""

    status: int
    name: str

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.name = _NAMES.get(status, str(status))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, str(self))


class InvalidError(Error, ValueError):
    """An argument is invalid (EINVAL)."""


class OutOfMemoryError(Error, MemoryError):
    """Out of host memory (ENOMEM)."""


class NotFoundError(Error, LookupError):
    """No such kernel, size, axis, device or file (ENOTFOUND)."""


class TemplateError(Error):
    """The template has a mistake (ETEMPLATE)."""


class CompileError(Error):
    """A variant does not compile (ECOMPILE)."""


class NoCompilerError(Error):
    """NVRTC is not available (ENOCOMPILER)."""


class NoDriverError(Error):
    """There is no CUDA driver, no such GPU, or one that has failed (ENODRIVER)."""


class CudaError(Error):
    """A CUDA call failed (ECUDA)."""


class WrongResultError(Error):
    """A variant computes wrong results (EWRONG)."""


class CrashedError(Error):
    """A variant crashed its worker (ECRASHED)."""


class TimeLimitError(Error, TimeoutError):
    """A deadline passed (ETIMEOUT)."""


class DatabaseError(Error):
    """The database cannot be used (EDATABASE)."""


class BusyError(Error):
    """A resource is in use by another process or call (EBUSY)."""


class CaptureError(Error):
    """Not possible while the stream is being captured (ECAPTURE)."""


class FileError(Error, OSError):
    """A file or a pipe failed (EIO)."""


class WorkerError(Error):
    """A worker process cannot be started or does not answer (EWORKER)."""


class NoVariantError(Error):
    """No variant is possible (ENOVARIANT)."""


class CanceledError(Error):
    """Stopped on request (ECANCELED)."""


class UnsupportedError(Error):
    """Not supported here (EUNSUPPORTED)."""


class DeviceMemoryError(Error, MemoryError):
    """Out of device memory (EDEVMEM)."""


class NotCachedError(Error):
    """Nothing is stored, and measuring was not allowed (ENOTCACHED)."""


class RecordedError(Error):
    """A wisdom text has a mistake (ERECORDED)."""


_CLASSES = {
    _abi.GPUTUNE_EINVAL: InvalidError, _abi.GPUTUNE_ENOMEM: OutOfMemoryError,
    _abi.GPUTUNE_ENOTFOUND: NotFoundError, _abi.GPUTUNE_ETEMPLATE: TemplateError,
    _abi.GPUTUNE_ECOMPILE: CompileError, _abi.GPUTUNE_ENOCOMPILER: NoCompilerError,
    _abi.GPUTUNE_ENODRIVER: NoDriverError, _abi.GPUTUNE_ECUDA: CudaError,
    _abi.GPUTUNE_EWRONG: WrongResultError, _abi.GPUTUNE_ECRASHED: CrashedError,
    _abi.GPUTUNE_ETIMEOUT: TimeLimitError, _abi.GPUTUNE_EDATABASE: DatabaseError,
    _abi.GPUTUNE_EBUSY: BusyError, _abi.GPUTUNE_ECAPTURE: CaptureError,
    _abi.GPUTUNE_EIO: FileError, _abi.GPUTUNE_EWORKER: WorkerError,
    _abi.GPUTUNE_ENOVARIANT: NoVariantError, _abi.GPUTUNE_ECANCELED: CanceledError,
    _abi.GPUTUNE_EUNSUPPORTED: UnsupportedError, _abi.GPUTUNE_EDEVMEM: DeviceMemoryError,
    _abi.GPUTUNE_ENOTCACHED: NotCachedError, _abi.GPUTUNE_ERECORDED: RecordedError,
}


def failure(status: int, message: str) -> Error:
    """Makes the exception for a status."""
    return _CLASSES.get(status, Error)(status, message)
