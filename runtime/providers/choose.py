"""Which service serves a model: `via`, else the vendor prefix and the keys in the environment. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import attrs

from ..judge.errors import ConfigurationError
from .settings import RETRIES, Api, FromEnv, ModelChoice, ProviderSettings, Secret, Target


@attrs.frozen
class Builtin:
    """A service that needs no declaration. `url_env` names what may move it, `key_env` what opens it."""

    api: Api
    url: str
    key_env: str | None = None
    url_env: str | None = None
    rounding: int | None = None
    keeps_prefix: bool = False
    """It serves many vendors, and knows their models by the whole slug."""


BUILTIN: Mapping[str, Builtin] = {
    "openai": Builtin("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openai_decisions": Builtin(
        "decisions", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"
    ),
    "anthropic": Builtin("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "openrouter": Builtin("openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", keeps_prefix=True),
    "typesafe": Builtin("systemone", "https://api.typesafe.ai/v1", "TYPESAFE_API_KEY", rounding=2),
    "ollama": Builtin("openai", "http://127.0.0.1:11434/v1", url_env="OLLAMA_HOST"),
    "vllm": Builtin("openai", "http://127.0.0.1:8000/v1", url_env="VLLM_HOST"),
    "llamacpp": Builtin("openai", "http://127.0.0.1:8080/v1", url_env="LLAMACPP_HOST"),
}
"""`ollama/…`, `vllm/…` and `llamacpp/…` are servers on this machine at their usual ports, or where the
variable says."""

INSIDE: Mapping[str, Api] = {"echo": "echo", "local": "local", "script": "script"}
_FALLBACK = "openrouter"
_APIS = ("openai", "anthropic", "systemone", "decisions")


@attrs.frozen
class Chosen:
    target: Target
    model: str
    """The slug as the service knows it."""
    vendor: str | None = None
    """Who answers, where the service is a gateway that passes questions on."""


def choose(choice: ModelChoice, environ: Mapping[str, str]) -> Chosen:
    """The service for a model. Raises `ConfigurationError`, code `model.unknown-provider`, with what was
    looked for."""
    vendor, slash, _ = choice.slug.partition("/")
    if choice.via is not None:
        target = _via(choice, choice.via, environ)
    elif slash and vendor in INSIDE:
        target = Target(vendor, INSIDE[vendor], prefix=f"{vendor}/")
    else:
        target = _by_vendor(choice, vendor if slash else "", environ)
    target = attrs.evolve(
        target,
        retries=choice.retries if choice.retries is not None else RETRIES,
        concurrency=choice.concurrency,
        timeout=choice.timeout,
        rounding=choice.rounding if choice.rounding is not None else target.rounding,
    )
    builtin = BUILTIN.get(target.name)
    passed_on = builtin is not None and builtin.keeps_prefix and slash and vendor != target.name
    return Chosen(target, target.model(choice.slug), vendor if passed_on else None)


@attrs.frozen
class Found:
    """A service as `doctor` lists it. `missing` names the variable that would open it."""

    name: str
    url: str
    missing: str | None


def survey(environ: Mapping[str, str]) -> tuple[Found, ...]:
    """Every service that needs no declaration, and whether the environment opens it. No key is shown."""
    return tuple(
        Found(name, _url(name, builtin, environ), _missing(builtin, environ))
        for name, builtin in BUILTIN.items()
    )


def _via(choice: ModelChoice, via: str, environ: Mapping[str, str]) -> Target:
    if choice.provider is not None:
        return _declared(choice.provider, environ)
    builtin = BUILTIN.get(via)
    if builtin is None:
        raise _unknown(
            choice.slug, f"there is no provider {via!r}; declared providers or {', '.join(BUILTIN)}"
        )
    missing = _missing(builtin, environ)
    if missing is not None:
        raise _unknown(choice.slug, f"{via} needs a key; set {missing}")
    return _builtin(via, builtin, environ)


def _by_vendor(choice: ModelChoice, vendor: str, environ: Mapping[str, str]) -> Target:
    if not vendor:
        raise _unknown(
            choice.slug,
            "the slug names no vendor; write it as vendor/model (openai/…, anthropic/…, ollama/…) or say via",
        )
    looked: list[str] = []
    for name in (vendor, _FALLBACK):
        builtin = BUILTIN.get(name)
        if builtin is None or name == "openai_decisions" or (builtin.key_env in looked):
            continue
        missing = _missing(builtin, environ)
        if missing is None:
            return _builtin(name, builtin, environ, kind=choice.kind, vendor=vendor)
        looked.append(missing)
    raise _unknown(
        choice.slug,
        f"no key for it in the environment (looked for {' and '.join(looked)}); set one, "
        "or declare a provider and say via",
    )


def _builtin(
    name: str, builtin: Builtin, environ: Mapping[str, str], *, kind: str = "chat", vendor: str = ""
) -> Target:
    api = builtin.api
    rounding = builtin.rounding
    if name == _FALLBACK and vendor == "typesafe" and kind == "decision":
        api, rounding = "systemone", BUILTIN["typesafe"].rounding
    key = environ.get(builtin.key_env or "", "").strip()
    return Target(
        name=name,
        api=api,
        url=_checked_url(name, _url(name, builtin, environ), builtin.url_env or ""),
        key=_key(name, key) if key else None,
        prefix="" if builtin.keeps_prefix else f"{name.partition('_')[0]}/",
        rounding=rounding,
        hint=f"start it, or set {builtin.url_env}" if builtin.key_env is None else "",
    )


def _declared(settings: ProviderSettings, environ: Mapping[str, str]) -> Target:
    name = settings.name
    if settings.api not in _APIS:
        raise _unknown(name, f"there is no api {settings.api!r}; one of {', '.join(_APIS)}")
    alike = next(builtin for builtin in BUILTIN.values() if builtin.api == settings.api)
    url = _value(name, "url", settings.url, environ) if settings.url is not None else alike.url
    key = _value(name, "key", settings.key, environ) if settings.key is not None else None
    return Target(
        name=name,
        api=settings.api,  # type: ignore[arg-type]  # one of `_APIS`
        url=_checked_url(name, url),
        key=_key(name, key) if key else None,
        headers=tuple(
            (header, Secret(_value(name, header, value, environ))) for header, value in settings.headers
        ),
        rounding=settings.rounding,
    )


def _value(provider: str, what: str, value: str | FromEnv, environ: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return value
    found = environ.get(value.name, "").strip()
    if not found:
        raise ConfigurationError(
            f"provider {provider}: its {what} is read from {value.name}, which is not set",
            code="model.unknown-provider",
        )
    return found


def _missing(builtin: Builtin, environ: Mapping[str, str]) -> str | None:
    return builtin.key_env if builtin.key_env and not environ.get(builtin.key_env, "").strip() else None


def _url(name: str, builtin: Builtin, environ: Mapping[str, str]) -> str:
    moved = environ.get(builtin.url_env, "").strip() if builtin.url_env else ""
    if not moved:
        return builtin.url
    # Ollama's own variable holds an address: `0.0.0.0:11434`, what a server listens at, or a bare host.
    url = moved if "://" in moved else f"http://{moved}"
    try:
        parts = urlsplit(url)
        port = parts.port or (urlsplit(builtin.url).port if parts.scheme == "http" else None)
    except ValueError:
        return ""  # which is refused where it is used, and shows nobody a password
    host = "127.0.0.1" if parts.hostname == "0.0.0.0" else parts.hostname or "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/') or '/v1'}"


def _checked_url(provider: str, url: str, variable: str = "") -> str:
    """A base url holds no key in any place: it would end in errors and logs. `variable` is where it may come from."""
    problem = None
    try:
        parts = urlsplit(url)
        bad_port = parts.port == 0
    except ValueError:
        parts, bad_port = urlsplit(""), True
    if bad_port or parts.scheme not in ("http", "https") or not parts.hostname:
        problem = "is no http(s) address"
    elif parts.username is not None or parts.password is not None:
        problem = "holds credentials; use `key`"
    elif parts.query or parts.fragment or "?" in url or "#" in url:
        problem = "holds a query or a fragment"
    if problem is not None:
        where = f" ({variable})" if variable else ""
        raise ConfigurationError(f"provider {provider}: its url{where} {problem}", code="model.bad-url")
    return url.rstrip("/")


def _key(provider: str, key: str) -> Secret:
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationError(
            f"provider {provider}: its key holds a character that no key has", code="model.bad-key"
        )
    return Secret(key)


def _unknown(slug: str, why: str) -> ConfigurationError:
    return ConfigurationError(f"no provider for {slug!r}: {why}", code="model.unknown-provider")
