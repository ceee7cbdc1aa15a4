"""The compile layer of CUDA devices: the only module that knows numba-cuda.

It gives numba-cuda the bridge that `compile` gives Numba: in code for a device, too, the methods
of a record are those of its class. So the bodies of policies, families and laws run on a device as
they are. This module is imported when a device is first used, and numba-cuda with it.

The module must not be called `cuda`: numba-cuda redirects every import whose name contains
"numba.cuda" to itself.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, SimpleNamespace

import numba
import numpy as np
from numba import cuda, types
from numba.core.errors import NumbaError
from numba.cuda.core import config, errors

from .._io.machine import log
from ..errors import RbmleError
from .announcement import compiled_for
from .bridge import APART, INTERPRETED, Target, add_target, failures
from .compile import Floats
from .mistakes import explained, refuse_exceptions, refuse_generators

SIMULATED = bool(config.ENABLE_CUDASIM)  # numba-cuda's simulator stands in for a device

# The private parts of numba-cuda that this module uses; see `compile.PRIVATE`.
PRIVATE = (
    "numba.cuda.codegen.nvvm.compile_ir(llvmir, **options)",
    "numba.cuda.types.ext_types.CUDADispatcher(dispatcher)",
    "numba.cuda.dispatcher.CUDADispatcher.compile(self, sig)",
    "numba.cuda.dispatcher.get_current_device()",
    "numba.cuda.cudadrv.driver.LinkerOptions._prepare_nvjitlink_options(self, as_bytes)",
)

_compiling = threading.RLock()
_dispatchers: dict[FunctionType, Callable[..., object]] = {}  # method -> its dispatcher


def _compiled(function: FunctionType) -> types.Type:
    """The type of a method that is compiled for the device and inlined."""
    if function not in _dispatchers:
        _dispatchers[function] = cuda.jit(device=True, forceinline=function not in APART)(function)
    return CUDADispatcher(_dispatchers[function])


if not SIMULATED:
    from numba.cuda import codegen, dispatcher
    from numba.cuda.cudadrv import driver
    from numba.cuda.cudadrv.devicearray import DeviceNDArray
    from numba.cuda.extending import infer_getattr, lower_builtin
    from numba.cuda.types.ext_types import CUDADispatcher
    from numba.cuda.typing.templates import AbstractTemplate, AttributeTemplate

    add_target(
        Target("cuda", AttributeTemplate, AbstractTemplate, infer_getattr, lower_builtin, _compiled)
    )

    class _ExactLinkerOptions(driver.LinkerOptions):  # type: ignore[misc]
        """Options of the linker under which it fuses nothing.

        cuda-core has an option for that, but writes -fma=false, where the linker wants -fma=0.
        """

        def _prepare_nvjitlink_options(self, as_bytes: bool = False) -> list[str] | list[bytes]:
            options = [*super()._prepare_nvjitlink_options(), "-fma=0"]
            return [each.encode() for each in options] if as_bytes else options


def check_device(owner: str) -> None:
    """Raise RbmleError with one sentence if there is no CUDA device that can be used."""
    if SIMULATED != INTERPRETED:
        given, lacking = "NUMBA_ENABLE_CUDASIM=1", "NUMBA_DISABLE_JIT=1"
        given, lacking = (given, lacking) if SIMULATED else (lacking, given)
        raise RbmleError(
            f"{owner}: 'device' must be 'cpu' where {given} is set without {lacking}: only "
            f"numba-cuda's simulator runs in the interpreter, and only there."
        )
    if not cuda.is_available():
        driver_error = " ".join(str(cuda.cuda_error() or "the driver shows none").split())
        reason = driver_error.partition(". ")[0].rstrip(".")  # its first sentence
        raise RbmleError(f"{owner}: 'device' must be 'cpu': no CUDA device was found ({reason}).")


def device_name() -> str:
    """What the device calls itself, such as NVIDIA H200."""
    name = "the simulator" if SIMULATED else cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def free_memory() -> int:
    """How many bytes of the device's memory are free."""
    return 1 << 30 if SIMULATED else int(cuda.current_context().get_memory_info()[0])


def side_by_side(block: DeviceNDArray | Floats) -> list[DeviceNDArray | Floats]:
    """The arrays [:, :, 0], [:, :, 1], ... of an array on the device, each transposed."""
    columns, rows, count = block.shape
    if SIMULATED:  # whose arrays cannot be transposed
        return [cuda.device_array((rows, columns), order="F") for _ in range(count)]
    if isinstance(block, np.ndarray):
        return [block[:, :, k].T for k in range(count)]
    size = block.dtype.itemsize
    strides = size * count, size * count * rows
    return [
        DeviceNDArray((rows, columns), strides, block.dtype, gpu_data=block.gpu_data.view(size * k))
        for k in range(count)
    ]


class DeviceKernel:
    """A function that many threads of a device run at once, compiled for its arguments' types.

    A mistake in a user's class is reported with its line, as on the CPU.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function
        # 64 registers, so that an H200 can hold all of 131,072 threads at once. Measured: UCB, KG,
        # RBMLE, KL-UCB are 0 to 17 % quicker than without a limit, although some are spilled.
        options = {} if SIMULATED else {"max_registers": 64}
        self._jitted = cuda.jit(function, **options)
        self._known: set[tuple[types.Type, ...]] = set()

    def prepare(self, *args: object) -> None:
        """Compile for arguments of these types; arrays may be NumPy's."""
        signature = tuple(map(numba.typeof, args))
        if SIMULATED or signature in self._known:
            return
        kinds = [each.__name__ for each in compiled_for(args)]
        log.info("compiling %s for the device, once", " for ".join(kinds))
        with as_on_cpu(), _explaining(args):
            self._jitted.compile(signature)
        self._known.add(signature)

    def ptx(self, *args: object, capability: tuple[int, int] = (9, 0)) -> str:
        """The code for arguments of these types; no device is needed."""
        signature = numba.void(*map(numba.typeof, args))
        with as_on_cpu(), _explaining(args), _assumed(capability):
            code: str = cuda.compile_ptx(self.function, signature, cc=capability)[0]
        return code

    def launch(self, threads: int, stream: object, *args: object) -> None:
        """Start that number of threads; arrays must be on the device already."""
        # Blocks of 128 threads, or of 32 where that leaves multiprocessors (up to 144) idle.
        block = 128 if threads >= 144 * 128 else 32
        with warnings.catch_warnings(), as_on_cpu():
            # Few threads are no mistake.
            warnings.simplefilter("ignore", errors.NumbaPerformanceWarning)
            self._jitted[-(-threads // block), block, stream](*args)


@contextmanager
def _explaining(args: tuple[object, ...]) -> Iterator[None]:
    """Inside this block, mistakes in a user's class are reported with their line."""
    refuse_generators(args)
    failures.clear()
    try:
        yield
    except (NumbaError, errors.NumbaError) as problem:
        log.debug("%s", problem)
        raise explained(args, problem, failures[0] if failures else None) from None
    except Exception:
        refuse_exceptions(args, _dispatchers)  # numba-cuda itself stumbles over `try`
        raise
    refuse_exceptions(args, _dispatchers)


@contextmanager
def _assumed(capability: tuple[int, int]) -> Iterator[None]:
    """Inside this block the compiler assumes a device of this compute capability."""
    current = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = current


def keep_apart(ir: str) -> str:
    """The compiler's input with the functions that are `apart` marked as not to be inlined."""
    names = "|".join(mangled(each) for each in APART)
    return re.sub(rf'^(define .*@"(?:{names})B.*\))$', r"\1 noinline", ir, flags=re.MULTILINE)


def mangled(function: Callable[..., object]) -> str:
    """How the compiler's input has the name of a function, before the types of its arguments."""
    parts = f"{function.__module__}.{function.__qualname__}".split(".")
    return "_ZN" + "".join(f"{len(each)}{each}" for each in parts)


@contextmanager
def as_on_cpu() -> Iterator[None]:
    """Inside this block, a * b + c is compiled as on a CPU: as two operations, each rounded.

    By default the compiler of CUDA makes one operation of it, with one rounding, and so does its
    linker, which optimises too. There is no option for that in numba-cuda's decorators, nor one
    for functions that are to be called. So what compiles is replaced; one thread at a time does so.
    """
    if SIMULATED:
        yield
        return
    with _compiling:
        compile_ir, linker_options = codegen.nvvm.compile_ir, driver.LinkerOptions
        codegen.nvvm.compile_ir = lambda ir, **options: compile_ir(
            [keep_apart(each) for each in ir], **{**options, "fma": False}
        )
        driver.LinkerOptions = _ExactLinkerOptions
        try:
            yield
        finally:
            codegen.nvvm.compile_ir, driver.LinkerOptions = compile_ir, linker_options
