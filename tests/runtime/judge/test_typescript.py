"""`compiles "typescript"` with the real compiler. Collected where `tsc` is on the search path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judgeflow.runtime.judge.compilers import Compilation, Compilers, compile_code

pytestmark = pytest.mark.slow


@pytest.fixture
def compilers(tmp_path: Path) -> Compilers:
    (tmp_path / "secret.ts").write_text("export const secret: number = 42;\n")
    return Compilers(os.environ["PATH"], tmp_path)


@pytest.mark.parametrize(
    "code",
    ["const x: number = 1;", "const y = await Promise.resolve([1].at(0));", "document.body.append('x');"],
)
async def test_types_that_fit_compile(compilers, code) -> None:
    assert await compile_code("typescript", code, compilers) == Compilation(True)


async def test_types_that_do_not_fit_are_told(compilers) -> None:
    said = await compile_code("typescript", "```ts\nconst x: number = 'a';\n```", compilers)
    assert said.ok is False
    assert "code.ts(1,7): error TS2322" in (said.detail or "")


@pytest.mark.parametrize("of", ["{place}/secret", "../secret", "lodash", "fs"])
async def test_no_file_of_the_project_or_of_a_package_is_read(compilers, of) -> None:
    code = f"import {{ secret }} from '{of.format(place=compilers.project)}'; const y: string = secret;"
    said = await compile_code("typescript", code, compilers)
    assert said.ok is False
    assert "Cannot find module" in (said.detail or "")


async def test_a_reference_to_a_file_reads_nothing_of_it(compilers) -> None:
    (compilers.project / "broken.ts").write_text("const broken: number = 'text';")
    code = f'/// <reference path="{compilers.project}/broken.ts" />\nconst z = 1;'
    assert await compile_code("typescript", code, compilers) == Compilation(True)
