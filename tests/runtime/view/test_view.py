"""`jrun view`: pages that show a run whole, fetch nothing, run nothing, and let no text break out."""

from __future__ import annotations

import os
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.records import (
    ApprovalRecord,
    AttemptRecord,
    DecisionRecord,
    GateJudgeRecord,
    GateRecord,
    PickRecord,
    ScorerRecord,
    StepRecord,
    Summary,
    Tern,
    ToolCallRecord,
    VerdictRecord,
    Versions,
)
from judgeflow.runtime.store.scores import Label, Score, put_label, put_score
from judgeflow.runtime.store.summaries import put_summary
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.view.markup import Markup, element, joined
from judgeflow.runtime.view.pages import PAGE, page_for
from judgeflow.runtime.view.server import ViewServer

HOSTILE = "</pre><script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
AT, END = "2026-03-01T11:59:00.000Z", "2026-03-01T11:59:04.000Z"


class Seen(HTMLParser):
    """The tags of a page, their attributes and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def step(id: str, kind: str, **fields: Any) -> StepRecord:
    defaults: dict[str, Any] = {
        "name": f"{kind} {HOSTILE}",
        "status": "succeeded",
        "started": AT,
        "ended": END,
    }
    return StepRecord(id=id, kind=kind, **(defaults | fields))  # type: ignore[arg-type]


def everything(id: str = "a" * 32, **fields: Any) -> Tern:
    """A run with every kind of step, and a hostile text wherever a text may stand."""
    verdicts = (
        VerdictRecord(judge=HOSTILE, passed=False, reason=HOSTILE, metrics={HOSTILE: HOSTILE}),
        VerdictRecord(judge="lost", passed=True, readable=False, reason=HOSTILE),
    )
    call = ToolCallRecord(tool=HOSTILE, input={HOSTILE: HOSTILE}, output=HOSTILE, status="succeeded")
    by_judge = ToolCallRecord(tool=HOSTILE, by=f"judge {HOSTILE}", status="succeeded")
    attempt = AttemptRecord(
        number=0, outcome="failed", answer=HOSTILE, reason=HOSTILE, model=HOSTILE, variant=HOSTILE,
        started=AT, ended=END, prompt=[{"role": HOSTILE}], raw=HOSTILE,
    )  # fmt: skip
    decision = DecisionRecord(
        kind="choice", selected=HOSTILE, outcome="accepted", probabilities={HOSTILE: 0.75, "other": 0.25},
        confidence=0.75, minimum=0.5, model=HOSTILE,
    )  # fmt: skip
    gate = GateRecord(
        verdict="block", decided_by="judge", combined="17/25", threshold="0.7",
        results=(ScorerRecord(name=HOSTILE, passed=False, score=0, detail=HOSTILE, weight="0.3"),),
        judge=GateJudgeRecord(party=HOSTILE, readable=False, reason=HOSTILE),
    )  # fmt: skip
    steps = (
        step(
            "1",
            "agent",
            attempts=(attempt,),
            verdicts=verdicts,
            tool_calls=(call, by_judge),
            reason=HOSTILE,
            status="failed",
        ),
        step("2", "decision", decision=decision),
        step("3", "gate", gate=gate, status="blocked", reason=f"{HOSTILE}\nsecond line"),
        step("4", "best", pick=PickRecord(winner=1, count=2, readable=False, defaulted=True, reason=HOSTILE)),
        step("4.1", "agent", parent="4", answer=HOSTILE),
        step("5", "approve", approval=ApprovalRecord(question=HOSTILE, showing=HOSTILE), status="paused"),
        step("6", "memory", answer={"first": 1, "last": 2, "text": HOSTILE}),
        step("7", "tool", parent="gone"),
    )
    defaults: dict[str, Any] = {
        "thread": "t" * 32, "flow": HOSTILE, "workflow": HOSTILE, "status": "failed", "code": HOSTILE,
        "reason": HOSTILE, "task": HOSTILE, "answer": {HOSTILE: HOSTILE}, "profile": HOSTILE, "file": HOSTILE,
        "warnings": (HOSTILE,), "cost": Cost().plus(HOSTILE, "0.0044"), "unreadable": 2,
        "versions": Versions(workflow=HOSTILE, prompt="b" * 64), "started": AT, "ended": END, "steps": steps,
    }  # fmt: skip
    return Tern(id=id, **(defaults | fields))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "terns.sqlite"
    monkeypatch.setenv("TERN_DB", str(path))
    with Store.open(path) as store:
        store.finish(everything())
        put_score(store, Score(run="a" * 32, judge=HOSTILE, score=0.5, reason=HOSTILE, scored=AT))
        put_label(store, Label(run="a" * 32, label="fail", labeller=HOSTILE, note=HOSTILE, labelled=AT))
        put_summary(store, "t" * 32, Summary(first=1, last=1, text=HOSTILE))
        store.finish(everything("c" * 32, tenant="acme", thread="other", task="a secret of acme"))
    return path


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.read(path) as store:
        yield store


ADDRESSES = ["/", "/run/aaaa", "/threads", "/thread/tttt", "/versions", f"/run/{HOSTILE}", f"/{HOSTILE}"]


def checked(page: str) -> Seen:
    seen = Seen(page)
    assert seen.open == []
    assert not {"script", "img", "iframe", "link", "object", "embed", "svg"} & set(seen.tags)
    for name, given in seen.attributes:
        assert not name.startswith("on")
        if name in ("href", "src", "action"):
            assert re.match(r"[/#](?!/)", given or "")
    assert "default-src 'none'" in page
    return seen


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_text_breaks_out_of_any_page_and_nothing_is_fetched(store: Store, address: str) -> None:
    seen = checked(page_for(store, address, {}).body)
    assert "@import" not in seen.text
    assert "url(" not in seen.text


@pytest.mark.parametrize("field", ["text", "flow", "version", "status", "page"])
def test_what_was_searched_for_breaks_out_of_no_page(store: Store, field: str) -> None:
    checked(page_for(store, "/", {field: HOSTILE}).body)


def test_a_run_is_there_whole_with_what_was_said_of_it(store: Store) -> None:
    seen = checked(page_for(store, "/run/aaaa", {}).body)
    for text in (
        "attempt 1 failed", "could not be read, counted as passed", "by judge", "0.750", "(needs 0.5)", "17/25 of 0.7",
        "variant 1 of 2 — could not be read", "waiting for a person", "$0.0044", "prompt bbbbbbbb",
        "Judged afterwards", "0.500", "judgements that could not be read: 2", "4.0 s",
    ):  # fmt: skip
        assert text in seen.text
    # A gate's further lines stand below, scorer by scorer.
    assert "second line" not in seen.text


def test_what_is_longer_than_a_page_wants_is_behind_a_link(path: Path) -> None:
    with Store.open(path) as store:
        store.finish(everything("b" * 32, thread="b", answer="x" * 100_000))
    with Store.read(path) as store:
        page = page_for(store, "/run/bbbb", {})
        assert len(page.body) < 30_000
        assert "all 100,000 characters" in page.body
        assert f'href="/run/{"b" * 32}/json"' in page.body
        whole = page_for(store, f"/run/{'b' * 32}/json", {})
    assert (whole.kind, "x" * 100_000 in whole.body) == ("application/json", True)


def test_case_181_runs_come_a_page_at_a_time(path: Path) -> None:
    with Store.open(path) as store:
        for n in range(2 * PAGE):
            store.finish(
                Tern(id=f"n{n}", thread=f"n{n}", flow="f", workflow="w", status="answered", started=AT)
            )
    with Store.read(path) as store:
        pages = [page_for(store, "/", {"page": str(number)}).body for number in (1, 2, 3)]
    assert [page.count('class="id"') for page in pages] == [PAGE, PAGE, 1]
    assert f"1–{PAGE} of {2 * PAGE + 1}" in pages[0]
    assert (">newer<" in pages[0], ">older<" in pages[0]) == (False, True)
    assert (">newer<" in pages[2], ">older<" in pages[2]) == (True, False)


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 40, "٣", ""])
def test_a_page_that_is_no_number_is_the_first_or_empty(store: Store, number: str) -> None:
    assert page_for(store, "/", {"page": number}).status == 200


def test_a_tenant_sees_its_own(store: Store) -> None:
    for address in ("/", "/threads", "/versions", "/run/cccc", "/thread/other"):
        assert "secret of acme" not in page_for(store, address, {}).body
    assert page_for(store, "/run/cccc", {}).status == 404
    assert page_for(store, "/run/cccc", {}, tenant="acme").status == 200
    assert page_for(store, "/run/aaaa", {}, tenant="acme").status == 404


def test_a_thread_is_shown_with_its_summaries(store: Store) -> None:
    assert "Turns 1–1, summed up" in page_for(store, "/thread/tttt", {}).body


def test_export_is_one_file_with_every_run_whole(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    with Store.open(path) as store:
        store.finish(everything("b" * 32, thread="b", answer="x" * 100_000))
    assert main(["view", "--export", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    seen = checked(page)
    assert "x" * 100_000 in seen.text
    links = {given for name, given in seen.attributes if name == "href"}
    assert links == {f"#run-{'a' * 32}", f"#run-{'b' * 32}"}
    assert {f"run-{'a' * 32}", f"run-{'b' * 32}"} <= {
        given for name, given in seen.attributes if name == "id"
    }
    assert out.stat().st_mode & 0o777 == 0o600


def test_export_takes_no_device_and_no_link_away(path: Path, tmp_path: Path) -> None:
    pipe, real, link = tmp_path / "pipe.html", tmp_path / "real.html", tmp_path / "link.html"
    os.mkfifo(pipe)
    link.symlink_to(real)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert main(["view", "aaaa", "--export", str(pipe)]) == 0
    assert os.read(reading, 15) == b"<!doctype html>"
    os.close(reading)
    assert pipe.is_fifo()
    assert main(["view", "aaaa", "--export", str(link)]) == 0
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600


def test_export_of_one_run_and_of_those_that_fit(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "aaaa", "--export", "-"]) == 0
    assert "<h1>" in capsys.readouterr().out
    assert main(["view", "--status", "answered", "--export", "-"]) == 0
    assert "no runs" in capsys.readouterr().out


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["view", "zzzz"], "there is no run 'zzzz'"),
        (["view", "zzzz", "--export", "-"], "there is no run 'zzzz'"),
        (["view", "--flow", "x"], "--flow chooses what --export writes"),
        (["view", "--export", "nowhere/x.html"], "choose another file"),
        (["view", "--port", "99999"], "choose another with --port"),
    ],
)
def test_wrong_use_is_told(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_before_the_first_run_nothing_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERN_DB", str(tmp_path / "none.sqlite"))
    assert main(["view"]) == 2
    assert "there are no runs yet" in capsys.readouterr().err


# --- over HTTP


@pytest.fixture
def server(path: Path) -> Iterator[ViewServer]:
    with ViewServer(path) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def get(server: ViewServer, address: str, **headers: str) -> tuple[int, str, Any]:
    request = urllib.request.Request(server.address.rstrip("/") + address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, reply.read().decode(), reply.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers


def test_pages_are_served_to_this_machine_alone(server: ViewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    status, page, headers = get(server, "/run/aaaa")
    assert (status, headers["X-Content-Type-Options"], headers["Cache-Control"]) == (
        200,
        "nosniff",
        "no-store",
    )
    checked(page)
    assert get(server, "/?text=nothing%20like%20it")[0] == 200
    assert get(server, "/run/zzzz")[0] == 404


def test_a_name_that_somebody_made_lead_here_gets_nothing(server: ViewServer) -> None:
    status, page, _ = get(server, "/", Host="evil.example")
    assert status == 403
    assert "alert" not in page
    assert get(server, "/", Host="localhost:1234")[0] == 200


def test_nothing_can_be_changed(server: ViewServer) -> None:
    request = urllib.request.Request(server.address, data=b"x", method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=10)
    with caught.value:
        assert caught.value.code == 501


def test_a_store_that_is_gone_is_a_page_that_says_so(server: ViewServer, path: Path) -> None:
    path.rename(path.with_name("moved"))
    status, page, _ = get(server, "/")
    assert status == 500
    assert "there are no runs yet" in page


# --- markup


def test_only_elements_are_markup() -> None:
    assert (
        element("p", "<b>", element("i", "&"), None, class_='a"b')
        == '<p class="a&quot;b">&lt;b&gt;<i>&amp;</i></p>'
    )
    assert isinstance(joined(("<", Markup("<br>"))), Markup)
    assert element("input", value="x", disabled=True, hidden=False, name=None) == '<input value="x" disabled>'
    assert element("p", "a\x00b\ud800c\x1b[31m\n") == "<p>a\ufffdb\ufffdc\ufffd[31m\n</p>"
