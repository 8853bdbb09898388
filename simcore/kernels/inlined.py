"""Adapts numba's compiler for kernels that only kernels call: they are optimised only in their callers.

By default, numba optimises every function once by itself and again in every caller. A kernel that Python
never calls does not need the first pass, which would take two fifths of the time to compile the engine.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import llvmlite.ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of the variables begin that numba fills in when it loads code


class _InlinedLibrary(JITCodeLibrary):
    """Keeps unoptimised code for linking into callers; its own machine code contains no function."""

    def _optimize_final_module(self) -> None:
        """Do nothing: the kernels into which this code is inlined optimise it."""

    def _finalize_final_module(self) -> None:
        whole, hollow = self._final_module, self._hollow()
        self._final_module = hollow
        super()._finalize_final_module()  # type: ignore[no-untyped-call]
        self._final_module = whole
        self._shared_module = self._get_module_for_linking()  # type: ignore[no-untyped-call]
        self._final_module = hollow

    def _hollow(self) -> Any:
        """A module with only the variables that numba looks for."""
        module = self._codegen._create_empty_module(self.name)  # type: ignore[no-untyped-call]
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                pointer = llvmlite.ir.IntType(8).as_pointer()
                place = llvmlite.ir.GlobalVariable(module, pointer, variable.name)
                place.linkage = "common"
                place.initializer = llvmlite.ir.Constant(pointer, None)
        return llvmlite.binding.parse_assembly(str(module))


class InlinedCompiler(Compiler):
    """numba's compiler with a library that keeps unoptimised code."""

    def define_pipelines(self) -> Any:
        codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
        self.state.library = _InlinedLibrary(codegen, name)  # type: ignore[no-untyped-call]
        self.state.library.enable_object_caching()  # or it could not be kept on disk
        return super().define_pipelines()  # type: ignore[no-untyped-call]
