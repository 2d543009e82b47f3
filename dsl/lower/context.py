"""What every lowering needs of the whole program: its files, types, models and places."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

from .. import ast
from .. import plan as p
from ..check.surface import shape_of
from ..parse import Item, Module
from ..shapes import FieldInfo, ListOf, Record, Shape, Text, TypeInfo
from ..shapes import Union as UnionShape
from .values import clause_table, number_of, plain_text, seconds_of, setting_of, whole_of, word_of

V = TypeVar("V")


class Context:
    """The declarations of a program, and what names in them mean. Models in quotes join `models` as they are met."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.root = os.path.dirname(modules[0].source.path)
        self.main = modules[0]
        self.items = [(module, item) for module in modules for item in module.items if item.node is not None]
        self.models: dict[str, p.ModelPlan] = {}
        self.aliases: dict[str, Shape] = {}
        self.types: dict[str, TypeInfo] = {}
        self.agent_names = {node.name.text for node in self.of(ast.Agent)}
        self.scorer_nodes = {node.name.text: node for node in self.of(ast.Scorer)}

    def of(self, kind: type[V]) -> list[V]:
        return [item.node for _, item in self.items if isinstance(item.node, kind)]

    def placed(self, kind: type[V]) -> list[tuple[V, p.Origin]]:
        return [
            (item.node, self.origin(module, item))
            for module, item in self.items
            if isinstance(item.node, kind)
        ]

    def origin(self, module: Module, item: Item, text: str = "") -> p.Origin:
        assert item.node is not None
        line, _ = module.source.position(item.offset + item.node.start)
        return p.Origin(self.relative(module.source.path), item.offset, line, text)

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root or ".").replace(os.sep, "/")

    def declare_types(self) -> None:
        for node in self.of(ast.Type):
            if node.alias is not None:
                self.aliases[node.name.text] = shape_of(node.alias)
        for node in self.of(ast.Type):
            if node.alias is None:
                self.types[node.name.text] = TypeInfo(
                    name=node.name.text,
                    fields=tuple(
                        FieldInfo(f.name.text, self.shape(f.shape), f.optional, plain_text(f.description))
                        for f in node.fields
                    ),
                    extends=node.extends.text if node.extends else None,
                    description=plain_text(node.description),
                )

    def shape(self, node: ast.ShapeNode) -> Shape:
        return self.resolved(shape_of(node))

    def resolved(self, shape: Shape) -> Shape:
        match shape:
            case Record(name) if name in self.aliases:
                return self.resolved(self.aliases[name])
            case ListOf(item, low, high):
                return ListOf(self.resolved(item), low, high)
            case UnionShape(options):
                flat: list[Shape] = []
                for option in map(self.resolved, options):
                    flat.extend(option.options if isinstance(option, UnionShape) else (option,))
                return UnionShape(tuple(flat))
        return shape

    def params(self, params: Iterable[ast.Param]) -> tuple[p.ParamPlan, ...]:
        return tuple(
            p.ParamPlan(
                name=param.name.text,
                shape=self.shape(param.shape) if param.shape else Text(),
                optional=param.optional,
                default=param.default,
                hidden=param.hidden,
            )
            for param in params
        )

    def model_name(self, ref: object) -> str:
        """The key of a model in the Plan; a slug in quotes becomes a model of that name."""
        assert isinstance(ref, ast.ModelRef)
        if ref.quoted and ref.text not in self.models:
            self.models[ref.text] = p.ModelPlan(name=ref.text, slug=ref.text)
        return ref.text

    def model(self, node: ast.Model) -> p.ModelPlan:
        clauses = clause_table(node.clauses)
        price = clauses.get("price")
        fallback = clauses.get("fallback")
        kind = clauses.get("kind")
        return p.ModelPlan(
            name=node.name.text,
            slug=node.slug.plain or "",
            via=node.via.text if node.via else None,
            kind="decision" if kind is not None and word_of(kind) == "decision" else "chat",
            temperature=number_of(clauses.get("temperature")),
            max_tokens=whole_of(clauses.get("max_tokens")),
            timeout=seconds_of(clauses.get("timeout")),
            retries=whole_of(clauses.get("retries")),
            price_in=price.input.text if price else None,
            price_out=price.output.text if price else None,
            fallback=tuple(self.model_name(ref) for ref in fallback.items) if fallback else (),
            concurrency=whole_of(clauses.get("concurrency")),
            rounding=whole_of(clauses.get("rounding")),
        )

    def provider(self, node: ast.Provider) -> p.ProviderPlan:
        clauses = clause_table(node.clauses)
        headers = clauses.get("headers")
        api = clauses.get("api")
        return p.ProviderPlan(
            name=node.name.text,
            api=word_of(api) if api is not None else "openai",
            url=setting_of(clauses.get("url")),
            key=setting_of(clauses.get("key")),
            headers=tuple((h.name, setting_of(h.value) or "") for h in headers.items) if headers else (),
            rounding=whole_of(clauses.get("rounding")),
        )

    def hook(self, text: ast.Text | None, origin: p.Origin) -> p.HookPlan | None:
        if text is None:
            return None
        file, _, function = (text.plain or "").rpartition(":")
        folder = os.path.dirname(origin.file)
        return p.HookPlan(os.path.normpath(os.path.join(folder, file)).replace(os.sep, "/"), function)

    def uses(self, uses: ast.Uses | None) -> tuple[p.UsePlan, ...]:
        return tuple(p.UsePlan(use.name.text, use.args) for use in uses.items) if uses else ()
