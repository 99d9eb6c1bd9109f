"""Operators, shapes and element types of a PyTorch model, recorded on fake tensors: no GPU, no arithmetic, no weights.

What was found by trying decides the form (docs/python.md): fake CPU tensors that are dispatched as CUDA's
(:mod:`roofcast.torch.on_cuda`), because fake CUDA ones need a GPU for their gradients; large parameters that are never
filled; views and questions about devices left out. What a model does to data that nobody has (``.item()``, branches)
cannot be recorded.
"""

from __future__ import annotations

import contextlib
import inspect
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.operators.recorded_operators import FORMAT
from roofcast.torch.on_cuda import as_cuda, attend, read_switches, run_layer, without_packing

LARGE = 4096
"""Elements from which a parameter is never filled while a model is built; smaller ones may be looked at."""
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp64", "amp-fp16", "amp-bf16")
NO_WORK = frozenset(
    {"detach", "lift_fresh", "alias", "_unsafe_view", "empty", "empty_like", "empty_strided", "new_empty",
     "new_empty_strided", "resize_", "set_", "is_same_size", "device", "size", "stride", "numel", "dim", "sym_size",
     "sym_stride", "sym_numel", "record_stream", "_local_scalar_dense", "as_strided_", "unsafe_split",
     "unsafe_chunk", "split_with_sizes", "scalar_tensor", "_reshape_alias", "_cuda_version", "_linalg_check_errors",
     "lift", "_has_same_storage_numel", "_fused_sdp_choice"}
)  # fmt: skip
"""Operators that launch nothing."""


def import_torch() -> Any:
    """PyTorch.

    Raises
    ------
    MissingExtraError : it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("PyTorch is not installed here: pip install torch (its CPU build is enough)") from error
    return torch


def record(
    model: Any, inputs: Any = None, *, train: bool = False, precision: str = "fp32", optimizer: str = "AdamW"
) -> dict[str, Any]:
    """The operators of one step of a model as a list that is plain JSON (:mod:`roofcast.operators.recorded_operators`).

    model : an ``nn.Module``, or a function without arguments that returns one, or returns a module and its inputs
        (``lambda: (resnet50(), torch.rand(64, 3, 224, 224))``), or does a whole step itself.
    inputs : of the module: tensors, or their shapes (``(64, 3, 224, 224)``; a list of shapes for several).
    train : forward, backward and a step of ``optimizer`` (a class of ``torch.optim``, its second step).
    precision : fp32, fp16, bf16, fp64 of parameters and inputs; amp-fp16, amp-bf16: autocast. fp32 is computed as the
        process's switches say (``allow_tf32``, ``set_float32_matmul_precision``; PyTorch's own: convolutions in TF32,
        products in FP32); tf32 is fp32 with both in TF32.

    Raises
    ------
    RoofcastError : PyTorch is not installed; the model cannot be recorded, with the reason in one line.
    """
    torch = import_torch()
    if precision not in PRECISIONS:
        raise RoofcastError(f"precision {one_line(str(precision), 40)!r}: use one of {', '.join(PRECISIONS)}")
    from torch._subclasses.fake_tensor import FakeTensorMode

    fake = FakeTensorMode(allow_non_fake_inputs=True)
    recording, switches = Recording(torch, fake), read_switches(torch, precision)
    try:
        with on_cpu(torch), as_cuda(torch, switches), recording.swapping(), recording.launching():
            module, given = build(torch, model, inputs, recording)
            if module is not None:
                run_step(torch, module, given, recording, (train, precision, optimizer))
    except RoofcastError:
        raise
    except Exception as error:
        # Whatever a model's own code raises on tensors without data.
        raise RoofcastError(tell_failure(error)) from error
    name = type(module).__name__ if module is not None else getattr(model, "__name__", "step")
    return {
        FORMAT: 1, "torch": str(torch.__version__), "what": name, "train": train, "precision": precision,
        "switches": switches, "operators": recording.entries(), "memory": recording.memory,
        "experts": recording.experts_bytes, "notes": [],
    }  # fmt: skip


def tell_failure(error: Exception) -> str:
    """Why a model could not be recorded, and where its code stands."""
    libraries = [Path(str(sys.modules[name].__file__)).parent for name in ("torch", "roofcast") if name in sys.modules]
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if not any(Path(f.filename).is_relative_to(library) for library in libraries)]  # fmt: skip
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    kind = type(error).__name__
    if "DataDependent" in kind or "DynamicOutputShape" in kind or "GuardOnDataDependent" in kind:
        return f"the model depends on data{where} (.item(), nonzero or a branch on a tensor): it cannot be recorded"
    return one_line(f"the model cannot be recorded{where}: {kind}: {error}", 400)


def build(torch: Any, model: Any, inputs: Any, recording: Recording) -> tuple[Any, tuple[Any, ...]]:
    """The module and its inputs; None where the function ran the step itself, which is recorded then."""
    if isinstance(model, torch.nn.Module):
        return model, make_inputs(torch, inputs)
    if not callable(model):
        raise RoofcastError(f"a {type(model).__name__} is no model: give an nn.Module or a function that returns one")
    with unfilled(torch) as filled, recording.from_first_module(filled):
        parts_made = model()
    parts = parts_made if isinstance(parts_made, tuple) else (parts_made,)
    if parts and isinstance(parts[0], torch.nn.Module):
        recording.found.clear()
        return parts[0], make_inputs(torch, inputs) if inputs is not None else tuple(parts[1:])
    if inputs is not None:
        raise RoofcastError("inputs belong to a module: the function given returns none")
    return None, ()


def make_inputs(torch: Any, inputs: Any) -> tuple[Any, ...]:
    """Tensors, those given as shapes made."""
    if inputs is None:
        raise RoofcastError("give the inputs of the module: tensors or shapes, e.g. inputs=(64, 3, 224, 224)")
    if isinstance(inputs, torch.Tensor) or is_shape(inputs):
        inputs = (inputs,)
    return tuple(torch.empty(tuple(i), device="meta") if is_shape(i) else i for i in inputs)


def is_shape(given: Any) -> bool:
    """Return whether it is the shape of one tensor."""
    return isinstance(given, (tuple, list)) and bool(given) and all(isinstance(i, int) for i in given)


def run_step(torch: Any, module: Any, given: Sequence[Any], recording: Recording, how: tuple[bool, str, str]) -> None:
    """One step of a module, recorded; of training the second."""
    train, precision, optimizer = how
    types = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp64": torch.float64}
    if precision in types:
        module.to(types[precision])
    recording.swap(module)
    module.train(train)
    amp = {"amp-fp16": torch.float16, "amp-bf16": torch.bfloat16}.get(precision)
    with recording.fake, without_packing():
        tensors = [to_fake(torch, x, types.get(precision)) for x in given]

        def forward() -> Any:
            with torch.autocast("cpu", amp) if amp is not None else contextlib.nullcontext():
                return module(*tensors)

        recording.memory["parameters"] = count_bytes([*module.parameters(), *module.buffers()])
        recording.experts_bytes = count_bytes([p for n, p in module.named_parameters() if ".experts." in f".{n}."])
        if not train:
            with torch.no_grad(), recording.mode():
                forward()
            return
        if not hasattr(torch.optim, optimizer):
            raise RoofcastError(f"torch.optim has no {one_line(optimizer, 40)!r}")
        optimizer_class = getattr(torch.optim, optimizer)
        lists = {"foreach": True} if "foreach" in inspect.signature(optimizer_class).parameters else {}
        steps = optimizer_class(module.parameters(), lr=1e-3, **lists)
        saved: list[Any] = []

        def keep(tensor: Any) -> Any:
            saved.append(tensor)
            return tensor

        # What autograd keeps is the same in both steps.
        keeping = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
        for recorded in (keeping, recording.mode()):
            with recorded:
                first_tensor(torch, forward()).float().sum().backward()
                steps.step()
                steps.zero_grad()
        trained = [p for p in module.parameters() if p.requires_grad]
        states = [v for state in steps.state.values() for v in state.values() if isinstance(v, torch.Tensor)]
        known = {t.untyped_storage()._cdata for t in (*module.parameters(), *module.buffers(), *tensors)
                 if isinstance(t, torch.Tensor)}  # fmt: skip
        others = [t for t in saved if t.untyped_storage()._cdata not in known]
        recording.memory |= {
            "gradients": count_bytes(trained), "optimizer": count_bytes(states), "activations": count_bytes(others)
        }  # fmt: skip


def count_bytes(tensors: Sequence[Any]) -> float:
    """Bytes of the storages of tensors, each once."""
    storages = {t.untyped_storage()._cdata: t.untyped_storage().nbytes() for t in tensors}
    return float(sum(storages.values()))


def first_tensor(torch: Any, found: Any) -> Any:
    """The first floating-point tensor of an output."""
    if isinstance(found, torch.Tensor):
        return found
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, (tuple, list)) else ()
    for part in parts:
        tensor = first_tensor(torch, part)
        if tensor is not None and tensor.is_floating_point():
            return tensor
    return None


def to_fake(torch: Any, value: Any, dtype: Any) -> Any:
    """An input as a fake CPU tensor, floating-point ones in the precision asked for."""
    if not isinstance(value, torch.Tensor):
        return value
    kind = dtype if dtype is not None and value.is_floating_point() else value.dtype
    return torch.empty_strided(tuple(value.shape), tuple(value.stride()), dtype=kind, device="cpu")


TRITON_LAUNCHERS = {"triton.runtime.jit": ("JITFunction",), "triton.runtime.autotuner": ("Autotuner", "Heuristics")}
"""Module -> its classes that launch kernels."""
NOT_COMPILED = "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG"
"""PyTorch's own switch."""


class Recording:
    """Operators that were dispatched, and the module's own parameters while fake ones stand in their place."""

    def __init__(self, torch: Any, fake: Any) -> None:
        self.torch, self.fake = torch, fake
        self.found: dict[tuple[Any, ...], int] = {}
        self.swapped: list[tuple[Any, str, Any]] = []
        self.optimizers: list[Any] = []
        self.is_on = False
        """Whether calls are written down."""
        self.memory: dict[str, float] = {}
        """Bytes of parameters (with buffers), gradients, optimizer and activations; without those that nobody knows."""
        self.experts_bytes = 0.0
        """Of the parameters of experts, by their modules' name."""

    def mode(self) -> Any:
        """A dispatch mode that writes down what is dispatched while it is entered."""
        from torch.utils._python_dispatch import TorchDispatchMode

        recording = self

        class Recorder(TorchDispatchMode):  # type: ignore[misc]  # a class of a package that is not installed here
            supports_higher_order_operators = True

            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                result = func(*args, **(kwargs or {}))
                if not hasattr(func, "_schema"):
                    recording.note(f"higher_order::{func.name()}", (args, kwargs or {}), result)
                elif is_work(func) and not is_constant(recording.torch, args):
                    recording.count(describe_call(recording.torch, func, args, kwargs or {}, result))
                return result

            def __enter__(self) -> Any:
                recording.is_on = True
                return super().__enter__()

            def __exit__(self, *how: Any) -> Any:
                recording.is_on = False
                return super().__exit__(*how)

        return Recorder()

    def count(self, key: tuple[Any, ...]) -> None:
        """Write a call down."""
        self.found[key] = self.found.get(key, 0) + 1

    def note(self, name: str, given: Any, result: Any) -> None:
        """Write down a call of which nobody knows more than the tensors that it takes and makes."""
        tensors, results = (
            [t for t in self.torch.utils._pytree.tree_leaves(v) if isinstance(t, self.torch.Tensor)]
            for v in (given, result)
        )
        shapes, types, strides = zip(*map(describe_tensor, tensors), strict=True) if tensors else ((), (), ())
        out = [describe_tensor(t) for t in results]
        self.count((name, shapes, types, strides, ("",) * len(shapes), tuple(o[0] for o in out),
                    tuple(o[1] for o in out)))  # fmt: skip

    @contextlib.contextmanager
    def launching(self) -> Iterator[None]:
        """Kernels of Triton that a model launches are written down, and not run: nobody knows what they do."""
        places = [(sys.modules.get(name), kinds) for name, kinds in TRITON_LAUNCHERS.items()]
        kinds = [getattr(module, kind) for module, names in places if module for kind in names if hasattr(module, kind)]
        runs = {kind: kind.run for kind in kinds}

        def launch(kernel: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> None:
            while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
                kernel = kernel.fn
            if self.is_on:
                self.note(f"triton::{getattr(kernel, '__name__', 'kernel')}", (args, kwargs), ())

        for kind in kinds:
            kind.run = launch
        flex = vars(sys.modules.get("torch.nn.attention.flex_attention", contextlib))
        as_it_is = flex.get(NOT_COMPILED)
        try:
            # Else attention with a mask of code compiles itself.
            flex |= {NOT_COMPILED: True} if as_it_is is not None else {}
            yield
        finally:
            flex |= {NOT_COMPILED: as_it_is} if as_it_is is not None else {}
            for kind, run in runs.items():
                kind.run = run

    def entries(self) -> list[dict[str, Any]]:
        """The operators as JSON."""
        keys = ("name", "shapes", "types", "strides", "arguments", "outputs", "output_types")
        return [
            {k: list(v) if isinstance(v, tuple) else v for k, v in zip(keys, key, strict=True)} | {"count": count}
            for key, count in self.found.items()
        ]

    @contextlib.contextmanager
    def swapping(self) -> Iterator[None]:
        """Parameters that were replaced by fake ones come back; optimisers that are made inside are known."""
        kind = self.torch.optim.Optimizer
        initialise = kind.__init__

        def register(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            initialise(optimizer, *args, **kwargs)
            self.optimizers.append(optimizer)

        kind.__init__ = register
        try:
            yield
        finally:
            kind.__init__ = initialise
            for place, name, was in reversed(self.swapped):
                place[name] = was

    def swap(self, module: Any) -> None:
        """Fake CPU tensors in the place of a module's parameters and buffers, in optimisers too."""
        stand_ins: dict[int, Any] = {}
        for part in module.modules():
            for place in (part._parameters, part._buffers):
                for name, tensor in list(place.items()):
                    if tensor is None:
                        continue
                    if id(tensor) not in stand_ins:
                        stand_ins[id(tensor)] = self.stand_in(tensor)
                    self.swapped.append((place, name, tensor))
                    place[name] = stand_ins[id(tensor)]
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["params"] = [stand_ins.get(id(p), p) for p in group["params"]]

    def stand_in(self, own: Any) -> Any:
        """A fake CPU tensor of the same shape, strides and type, a parameter for a parameter."""
        with self.fake:
            fake = self.torch.empty_strided(tuple(own.shape), tuple(own.stride()), dtype=own.dtype, device="cpu")
        if isinstance(own, self.torch.nn.Parameter):
            return self.torch.nn.Parameter(fake, requires_grad=own.requires_grad)
        return fake

    @contextlib.contextmanager
    def from_first_module(self, filled: Callable[[], None]) -> Iterator[None]:
        """Recording begins with the first call of a module, on fake tensors from then on."""
        kind = self.torch.nn.Module
        plain_call, begun = kind.__call__, contextlib.ExitStack()
        active: list[bool] = []

        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if not active:
                active.append(True)
                filled()
                self.swap(module)
                begun.enter_context(self.fake)
                begun.enter_context(without_packing())
                begun.enter_context(self.mode())
                args = tuple(to_fake(self.torch, a, None) for a in args)
                kwargs = {k: to_fake(self.torch, v, None) for k, v in kwargs.items()}
            return plain_call(module, *args, **kwargs)

        kind.__call__ = call
        try:
            with begun:
                yield
        finally:
            kind.__call__ = plain_call


def is_work(func: Any) -> bool:
    """Return whether an operator launches anything: views and questions do not."""
    name = func._schema.name.rpartition("::")[2]
    if name in NO_WORK or func._schema.name.startswith(("prim::", "profiler::")):
        return False
    views = [r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns]
    return not (views and all(views))


def is_constant(torch: Any, args: Sequence[Any]) -> bool:
    """Return whether all tensors are numbers that the host drew or knows: what a model decides by, nothing of a GPU."""
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    return bool(tensors) and all(getattr(t, "constant", None) is not None and t.dim() <= 1 for t in tensors)


def describe_tensor(tensor: Any) -> tuple[tuple[int, ...], str, tuple[int, ...]]:
    """Shape, type, strides."""
    steps = tuple(int(d) for d in tensor.stride()) if str(tensor.layout) == "torch.strided" else ()
    return tuple(int(d) for d in tensor.shape), str(tensor.dtype).removeprefix("torch."), steps


def describe_call(torch: Any, func: Any, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> tuple[Any, ...]:
    """Name, shapes, types, strides, other arguments, shapes and types of results: as the profiler has them."""
    shapes: list[tuple[int, ...]] = []
    types: list[str] = []
    strides: list[tuple[int, ...]] = []
    texts: list[str] = []
    values = [*args, *(kwargs.get(a.name, a.default_value) for a in func._schema.arguments[len(args) :])]
    for value in values:
        if isinstance(value, torch.Tensor):
            parts = [value]
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, torch.Tensor) for v in value):
            parts = list(value)
        else:
            shapes.append(())
            types.append("")
            strides.append(())
            texts.append("" if value is None else str(list(value) if isinstance(value, tuple) else value)[:120])
            continue
        for part in parts:
            shape, kind, steps = describe_tensor(part)
            shapes.append(shape)
            types.append(kind)
            strides.append(steps)
            texts.append("")
    results = result if isinstance(result, (list, tuple)) else (result,)
    out = [r for r in results if isinstance(r, torch.Tensor)]
    return (
        func._schema.name, tuple(shapes), tuple(types), tuple(strides), tuple(texts),
        tuple(tuple(int(d) for d in r.shape) for r in out), tuple(str(r.dtype).removeprefix("torch.") for r in out),
    )  # fmt: skip


@contextlib.contextmanager
def unfilled(torch: Any) -> Iterator[Callable[[], None]]:
    """Large parameters of modules that are built inside have no memory, and their initialisers nothing to do.

    What it gives ends that before its time.
    """
    plain_empty = torch.empty

    def end() -> None:
        torch.empty = plain_empty

    def empty(*size: Any, **how: Any) -> Any:
        shape = size[0] if size and isinstance(size[0], (tuple, list)) else size
        count = 1
        for d in shape:
            count *= int(d) if isinstance(d, int) else 1
        if count > LARGE and not how.get("out") and str(how.get("device") or "cpu") != "meta":
            how = {**how, "device": "meta"}
        return plain_empty(*size, **how)

    torch.empty = empty
    try:
        yield end
    finally:
        end()


@contextlib.contextmanager
def on_cpu(torch: Any) -> Iterator[None]:
    """CUDA's devices stand for the CPU's, whose fake tensors behave; fast paths of attention in their parts."""
    from torch.overrides import TorchFunctionMode

    def moved(value: Any) -> Any:
        if isinstance(value, torch.device):
            return torch.device("cpu") if value.type == "cuda" else value
        return "cpu" if isinstance(value, str) and value.partition(":")[0] == "cuda" else value

    chance = random.Random(0)  # noqa: S311 - no secret: a branch of a model, the same at every recording

    class OnCpu(TorchFunctionMode):  # type: ignore[misc]  # as above
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is torch.Tensor.cuda:
                return args[0]
            if func is torch.rand and args and args in ((1,), ((),), ([],), ((1,),), ([1],)):
                # Models draw a number to decide by (layer drop): it is real, so that the branch can be taken.
                drawn = chance.random()
                return torch.tensor([drawn] if args in ((1,), ((1,),), ([1],)) else drawn)
            if func is torch._native_multi_head_attention and not any(a is not None for a in args[9:10]):
                return attend(torch, args[:3], args[4], args[5:7], args[7:9]), None
            if func is torch._transformer_encoder_layer_fwd:
                return run_layer(torch, args[0], args[1], args[2], args[3:])
            given = {k: moved(v) for k, v in (kwargs or {}).items()}
            return func(*map(moved, args), **given)

    own_wait, own_cast = torch.cuda.synchronize, torch.amp.autocast_mode.autocast.__init__
    own_check = torch.overrides.has_torch_function

    def cast(self: Any, device_type: str = "cpu", dtype: Any = None, *rest: Any, **how: Any) -> None:
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.float16
        own_cast(self, device_type, dtype, *rest, **how)

    torch.cuda.synchronize = lambda *_: None
    torch.amp.autocast_mode.autocast.__init__ = cast
    # Else the mode itself would keep nn.MultiheadAttention from its fast path.
    torch.overrides.has_torch_function = lambda _: False
    try:
        with OnCpu():
            yield
    finally:
        torch.cuda.synchronize, torch.amp.autocast_mode.autocast.__init__ = own_wait, own_cast
        torch.overrides.has_torch_function = own_check
