"""What a Python file offers to hooks, found by reading it: it is never imported."""

from __future__ import annotations

import ast as python

import msgspec


class HookInfo(msgspec.Struct, frozen=True):
    """A function as its file shows it. `parameters` take their arguments by place or name, `keyword_only` by
    name only; `required` are those of both without a default. `signature` is False where the name is not
    bound by a plain `def` (an import, an assignment, a decorated function): it is there, and that is all one
    can tell."""

    name: str
    is_async: bool = False
    parameters: tuple[str, ...] = ()
    keyword_only: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()
    takes_any: bool = False
    """Has `*args`."""
    takes_any_name: bool = False
    """Has `**kwargs`."""
    positional_only: tuple[str, ...] = ()
    signature: bool = True

    @property
    def injected(self) -> tuple[str, ...]:
        """The names that the runtime has to give it beside its main arguments."""
        return self.keyword_only


class PythonFile(msgspec.Struct, frozen=True):
    """`functions` by name. `problem` says why the file cannot be read."""

    functions: dict[str, HookInfo]
    problem: str = ""


def read_python(data: bytes) -> PythonFile:
    """The functions at the top level of a Python file."""
    try:
        tree = python.parse(data)
    except SyntaxError as error:
        return PythonFile({}, f"line {error.lineno}: {error.msg}")
    except (ValueError, RecursionError, MemoryError):
        return PythonFile({}, "it is not Python source")
    functions: dict[str, HookInfo] = {}
    for statement in _top_level(tree.body):
        match statement:
            case python.FunctionDef() | python.AsyncFunctionDef():
                functions[statement.name] = _function(statement)
            case python.ClassDef(name=name):
                functions[name] = HookInfo(name, signature=False)
            case python.Import(names=names) | python.ImportFrom(names=names):
                for alias in names:
                    name = (alias.asname or alias.name).partition(".")[0]
                    functions[name] = HookInfo(name, signature=False)
            case python.Assign(targets=targets):
                for target in targets:
                    if isinstance(target, python.Name):
                        functions[target.id] = HookInfo(target.id, signature=False)
            case python.AnnAssign(target=python.Name(id=name)):
                functions[name] = HookInfo(name, signature=False)
    return PythonFile(functions)


def _top_level(body: list[python.stmt]) -> list[python.stmt]:
    """The statements of a module, those under `if` and `try` included."""
    found: list[python.stmt] = []
    for statement in body:
        match statement:
            case python.If(body=then, orelse=otherwise):
                found += _top_level([*then, *otherwise])
            case python.Try(body=tried, orelse=otherwise, finalbody=final, handlers=handlers):
                found += _top_level([*tried, *otherwise, *final])
                found += _top_level([inner for handler in handlers for inner in handler.body])
            case _:
                found.append(statement)
    return found


def _function(node: python.FunctionDef | python.AsyncFunctionDef) -> HookInfo:
    arguments = node.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    keyword_only = [argument.arg for argument in arguments.kwonlyargs]
    required = {*positional[: len(positional) - len(arguments.defaults)]}
    required |= {
        name for name, default in zip(keyword_only, arguments.kw_defaults, strict=True) if default is None
    }
    return HookInfo(
        name=node.name,
        is_async=isinstance(node, python.AsyncFunctionDef),
        parameters=tuple(positional),
        keyword_only=tuple(keyword_only),
        required=frozenset(required),
        takes_any=arguments.vararg is not None,
        takes_any_name=arguments.kwarg is not None,
        positional_only=tuple(argument.arg for argument in arguments.posonlyargs),
        signature=not node.decorator_list,
    )
