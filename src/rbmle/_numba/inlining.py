"""How methods of records are compiled: for their callers alone.

Numba optimises every function by itself, writes its machine code, and optimises it again as a part
of each caller. Methods of records are called by compiled code only, and nearly all are inlined. So
they stay as they were lowered: the kernel that they end in is optimised with them. That takes 14
to 43 % off the time to compile a kernel (`python -m benchmarks --only compiling`), and leaves its
code as fast.
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import parse_assembly  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder


class ForCallers(JITCodeLibrary):  # type: ignore[misc]
    """The code of a method: linked into that of its callers, never run by itself."""

    def _optimize_final_module(self) -> None:
        """Nothing: its callers are optimised with it."""

    def _finalize_final_module(self) -> None:
        """Add no code, only the global variable for the environment, which `print` needs."""
        self._finalize_dynamic_globals()
        engine = self._codegen._engine
        for each in self._final_module.global_variables:
            if each.name.startswith("_ZN08NumbaEnv") and not engine.is_symbol_defined(each.name):
                self._codegen._add_module(parse_assembly(f'@"{each.name}" = common global i64 0'))
                engine.finalize_object()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Null: there is no machine code."""
        self._ensure_finalized()
        return 0


class MethodCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler, for methods of records."""

    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.library = ForCallers(state.targetctx.codegen(), state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]
