"""How long a whole command takes, started as a user starts it, beside its peers in the same run.

    python benchmarks/startup.py [--runs 5]

Peers: `python -c "import argparse"`, and `baml-cli check` (wheel `baml-py`) where it is installed. Byte code is
cached, and the interpreter is called by its own path. Medians.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
JRUN = [sys.executable, "-c", "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"]

BAML = """
client<llm> Small {
  provider openai
  options {
    model "gpt-4o-mini"
    api_key env.OPENAI_API_KEY
  }
}
class Job {
  title string
  url string
}
function Find(person: string) -> Job[] {
  client Small
  prompt #"Find jobs for {{ person }}. {{ ctx.output_format }}"#
}
"""


def seconds(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment, stdin=subprocess.DEVNULL)
    return time.perf_counter() - began


def commands(folder: Path) -> dict[str, list[str]]:
    hello = str(ROOT / "examples" / "hello.judge")
    found = {
        'python -c "import argparse"': [sys.executable, "-c", "import argparse"],
        "jrun --help": [*JRUN, "--help"],
        "jrun check examples/hello.judge": [*JRUN, "check", hello],
        "jrun examples/hello.judge": [*JRUN, hello, "Terns are seabirds.", "--quiet"],
    }
    baml = shutil.which(
        "baml-cli", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    )
    if baml is not None:
        source = folder / "baml_src"
        source.mkdir()
        (source / "main.baml").write_text(BAML, encoding="utf-8")
        found["baml-cli check"] = [sys.executable, baml, "check", "--from", str(source)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="whole-process times")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "TERN_DB": str(folder / "terns.sqlite")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        measured = {}
        for label, command in commands(folder).items():
            seconds(command, environment)
            measured[label] = statistics.median(seconds(command, environment) for _ in range(options.runs))
    bare, peer = measured['python -c "import argparse"'], measured.get("baml-cli check")
    for label, took in measured.items():
        against = f"{took / bare:5.2f}× argparse"
        if peer is not None:
            against += f"  {took / peer:5.2f}× baml-cli check"
        print(f"{label:<34} {took * 1000:6.0f} ms  {against}")


if __name__ == "__main__":
    main()
