"""How methods of records are compiled: for their callers alone.

Numba optimises every function by itself, links into it all that it calls, writes its machine code,
and does that again for each caller. Methods of records are called by compiled code only, and nearly
all are inlined. So each stays by itself, nearly as it was lowered. The kernel that they end in is
linked with all of them, once, and optimised. `python -m benchmarks --only compiling` measures what
that saves; the code of the kernel is as fast.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import ModuleRef, parse_assembly  # type: ignore[import-untyped]
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from .._records.record import is_package

# Passes for closures, comprehensions and arithmetic on whole arrays: the methods of this package
# have none of these, and without the two compiling takes a twelfth less.
_FOR_USERS = (InlineClosureLikes, NopythonRewrites)


class ForCallers(JITCodeLibrary):  # type: ignore[misc]
    """The code of a method: linked into that of its callers, never run by itself."""

    def add_ir_module(self, module: ir.Module) -> None:
        """Keep the code, with its variables in registers: that makes it half as long."""
        for each in module.functions:
            if not each.is_declaration:
                each.linkage = "linkonce_odr"  # several parts of a kernel may bring it along
        self._text = str(module)
        self._final_module = parse_assembly(self._text)
        self._optimize_functions(self._final_module)

    def finalize(self) -> None:
        """Nothing is left to do: callers link what they need."""
        self._finalized = True

    def _get_module_for_linking(self) -> ModuleRef:
        """The code with all that it calls. A caller comes before what it calls: the linker leaves
        out functions that nothing has called so far."""
        module = self._final_module.clone()
        for each in reversed(self._called({})):
            ours = isinstance(each, ForCallers)
            part = each._final_module if ours else each._get_module_for_linking()
            module.link_in(part, preserve=True)
        return module

    def _called(self, found: dict[CodeLibrary, None]) -> dict[CodeLibrary, None]:
        """Add all that this code calls, at any depth, the innermost first."""
        for each in self._linking_libraries:
            if each not in found:
                if isinstance(each, ForCallers):
                    each._called(found)
                found[each] = None
        return found

    def get_pointer_to_function(self, name: str) -> int:
        """Null: there is no machine code."""
        return 0

    @property
    def codegen(self) -> ForCallers:
        """Whose `set_env` Numba calls."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Make the global variable for the environment if the code reads it, as `print` does."""
        if self._text.count(name) > 1:
            engine = self._codegen._engine
            if not engine.is_symbol_defined(name):
                self._codegen._add_module(parse_assembly(f'@"{name}" = common global i64 0'))
                engine.finalize_object()
            self._codegen.set_env(name, environment)


class MethodCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler, for methods of records."""

    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.library = ForCallers(state.targetctx.codegen(), state.func_id.func_qualname)
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        if is_package(state.func_id.func):
            passes.passes = [each for each in passes.passes if each[0] not in _FOR_USERS]
        return [passes]
