from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.records import Summary, Tern
from judgeflow.runtime.store.summaries import put_summary
from judgeflow.runtime.store.terns import Store

CHAT = """
workflow chat
model small "script/small"
model memo "script/memo"
agent talker(text: text) { model small }
flow main(text: text) -> text { return talker(text) }
memory { history 10  compact every 2 keep 3 with memo }
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "terns.sqlite"
    monkeypatch.setenv("TERN_DB", str(path))
    return path


def tern(id: str, thread: str, minute: int, **fields: object) -> Tern:
    started = f"2026-03-01T11:{minute:02}:00.000Z"
    defaults = {"status": "answered", "task": f"task {id}", "answer": f"answer {id}"} | fields
    return Tern(id=id, thread=thread, flow="main", workflow="chat", started=started, **defaults)  # type: ignore[arg-type]


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(path) as store:
        store.finish(tern("a1", "aaaa1111", 1))
        store.finish(tern("a2", "aaaa1111", 2, status="failed", answer=None, reason="the service is down"))
        store.finish(tern("a3", "aaaa1111", 3))
        store.finish(tern("b1", "bbbb2222", 9))
        store.finish(tern("c1", "cccc3333", 1, tenant="acme"))
        put_summary(store, "aaaa1111", Summary(first=1, last=2, text="They spoke of terns."))
    return path


@pytest.mark.usefixtures("filled")
def test_threads_are_listed_the_last_used_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["threads"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["bbbb2222", "1"], ["aaaa1111", "3"]]
    assert lines[2].endswith("task a1")
    assert main(["threads", "--limit", "1"]) == 0
    assert capsys.readouterr().out.endswith("1 of 2 threads; --limit 2 shows them all\n")


@pytest.mark.usefixtures("filled")
def test_a_thread_is_shown_with_its_turns_and_what_was_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["threads", "aaaa"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("thread aaaa1111  3 turns  1 summary\n")
    places = [
        out.index(text)
        for text in ("Q: task a1", "A: answer a1", "the service is down", "They spoke", "task a3")
    ]
    assert places == sorted(places)
    assert "   ·  turns 1–2 summed up" in out


@pytest.mark.usefixtures("filled")
def test_json_is_an_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["threads", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert (first["id"], first["turns"], first["first"]["task"]) == ("bbbb2222", 1, "task b1")
    assert main(["threads", "aaaa", "--json", "--limit", "2"]) == 0
    assert [turn["id"] for turn in json.loads(capsys.readouterr().out)] == ["a2", "a3"]


@pytest.mark.usefixtures("filled")
def test_an_unknown_thread_and_another_tenants_are_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["threads", "cccc"]) == 2
    assert "there is no thread 'cccc'" in capsys.readouterr().err
    assert main(["threads", "cccc", "--tenant", "acme"]) == 0


def test_before_the_first_run_there_are_none(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["threads"]) == 0
    assert "no threads yet" in capsys.readouterr().out
    assert main(["threads", "x"]) == 2
    assert not path.exists()


@pytest.mark.usefixtures("filled")
def test_runs_of_a_thread_are_found_by_its_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "--thread", "aaaa…", "--json"]) == 0
    assert [run["id"] for run in json.loads(capsys.readouterr().out)] == ["a3", "a2", "a1"]


@pytest.mark.usefixtures("path")
def test_f13_what_was_summed_up_is_told_under_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "chat.judge"
    file.write_text(CHAT.replace("script/small", "echo/small").replace("script/memo", "echo/memo"))
    assert main(["run", str(file), "hello"]) == 0
    thread = capsys.readouterr().err.split("thread: ")[1].strip()
    assert main(["run", str(file), "again", "--thread", thread]) == 0
    err = capsys.readouterr().err.splitlines()
    assert err[-2:] == ["memory: turns 1–2 → summary 1/3", f"thread: {thread}"]
    assert main(["run", str(file), "more", "--thread", thread, "--quiet"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"thread: {thread}"]


@pytest.mark.usefixtures("path")
def test_a_thread_is_continued_by_the_beginning_of_its_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "chat.judge"
    file.write_text(CHAT.replace("script/small", "echo/small").replace("script/memo", "echo/memo"))
    assert main(["run", str(file), "x", "--thread", "abc"]) == 2
    assert "there is no thread abc: nothing has run yet" in capsys.readouterr().err
    main(["run", str(file), "hello"])
    thread = capsys.readouterr().err.split("thread: ")[1].strip()
    assert main(["run", str(file), "again", "--thread", f"{thread[:8]}…"]) == 0
    assert f"thread: {thread}" in capsys.readouterr().err
    mistyped = thread[:7] + ("0" if thread[7] != "0" else "1") + thread[8:10]
    assert main(["run", str(file), "again", "--thread", mistyped]) == 2
    assert f"did you mean {thread[:10]}" in capsys.readouterr().err
    assert main(["run", str(file), "again", "--thread", thread[:8], "--tenant", "acme"]) == 2
