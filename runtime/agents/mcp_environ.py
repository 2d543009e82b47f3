"""What an MCP server's process sees of the environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...dsl.plan import EnvPlan, ProviderPlan

MODEL_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "TYPESAFE_API_KEY")


def server_environ(environ: Mapping[str, str], providers: Iterable[ProviderPlan]) -> dict[str, str]:
    """All but the keys of model services, which are nobody else's business: a server finds its own tokens there."""
    declared = {provider.key.env for provider in providers if isinstance(provider.key, EnvPlan)}
    hidden = declared.union(MODEL_KEYS)
    return {name: value for name, value in environ.items() if name not in hidden}
