"""Which provider serves which model: the one place, beside `cli`, that names providers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from ..dsl.plan import EnvPlan, ModelPlan, Plan
from .expr import Compiler
from .flow.system import Connection
from .judge.errors import ConfigurationError
from .judge.protocol import Provider
from .providers.cache import CachedProvider, ReplyCache
from .providers.choose import choose
from .providers.recording import Recorder, RecordingProvider
from .providers.script import Script, ScriptProvider, script_of_file, script_of_test
from .providers.settings import FromEnv, ModelChoice, ProviderSettings, Target


class Connections:
    """Chooses a provider for each model of a Plan. `scripted` names the models whose answers are written down.

    `everything` is a script that stands in for all models: then no key, no network and no file is needed. `cache`
    answers what was asked before, `recorder` keeps every reply.
    """

    def __init__(
        self,
        plan: Plan,
        root: Path,
        environ: Mapping[str, str],
        *,
        everything: Script | None = None,
        cache: ReplyCache | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._plan = plan
        self._root = root
        self._environ = environ
        self._everything = everything
        self._cache = cache
        self._recorder = recorder
        self._scripts: dict[str, Script] = {}
        self.scripted = tuple(
            name for name, model in plan.models.items() if everything or model.slug.startswith("script/")
        )

    def __call__(self, model: ModelPlan) -> Connection:
        if self._everything is not None:
            script = self._everything
            return Connection("script", "script", model.slug, lambda: _scripted(script))
        if model.slug.startswith("script/"):
            found = self._script(model.slug.removeprefix("script/"))
            return Connection(
                model.slug, "script", model.slug, lambda: self._recorded(lambda: _scripted(found))
            )
        chosen = choose(self._choice(model), self._environ)
        target = chosen.target
        return Connection(
            target,
            target.name,
            chosen.model,
            lambda: self._recorded(lambda: self._service(target)),
            chosen.vendor,
        )

    @asynccontextmanager
    async def _recorded(
        self, open: Callable[[], AbstractAsyncContextManager[Provider]]
    ) -> AsyncIterator[Provider]:
        async with open() as provider:
            yield provider if self._recorder is None else RecordingProvider(provider, self._recorder)

    @asynccontextmanager
    async def _service(self, target: Target) -> AsyncIterator[Provider]:
        async with _opened(target, self._environ) as provider:
            yield provider if self._cache is None else CachedProvider(provider, self._cache, target)

    def _script(self, name: str) -> Script:
        if name not in self._scripts:
            self._scripts[name] = self._read(name)
        return self._scripts[name]

    def _read(self, name: str) -> Script:
        if name.endswith(".jsonl"):
            return script_of_file(self._root / name)
        for test in self._plan.tests:
            if test.name == name:
                return script_of_test(test, Compiler(self._plan.types, {}, lambda: datetime.now(UTC)))
        known = ", ".join(f'"{test.name}"' for test in self._plan.tests) or "none"
        raise ConfigurationError(
            f"script/{name}: a script is a JSON-lines file or a test of this file; its tests are: {known}",
            code="script.missing",
        )

    def _choice(self, model: ModelPlan) -> ModelChoice:
        declared = self._plan.providers.get(model.via or "")
        settings = None
        if declared is not None:
            settings = ProviderSettings(
                name=declared.name,
                api=declared.api,
                url=_setting(declared.url),
                key=_setting(declared.key),
                headers=tuple((name, _setting(value) or "") for name, value in declared.headers),
                rounding=declared.rounding,
            )
        return ModelChoice(
            slug=model.slug,
            via=model.via,
            kind=model.kind,
            provider=settings,
            timeout=model.timeout,
            retries=model.retries,
            concurrency=model.concurrency,
            rounding=model.rounding,
        )


def _setting(value: str | EnvPlan | None) -> str | FromEnv | None:
    return FromEnv(value.env) if isinstance(value, EnvPlan) else value


@asynccontextmanager
async def _scripted(script: Script) -> AsyncIterator[Provider]:
    yield ScriptProvider(script)


def _opened(target: Target, environ: Mapping[str, str]) -> AbstractAsyncContextManager[Provider]:
    """A real service, or the model inside the package: HTTP is imported when one is needed, not before."""
    from .providers.clockwork import Clockwork  # noqa: PLC0415
    from .providers.open import open_provider  # noqa: PLC0415

    return open_provider(target, Clockwork(environ=environ))
