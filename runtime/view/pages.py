"""Which page answers which address. Reads the store, changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args
from urllib.parse import quote, urlencode

import msgspec

from ..report.text import one_line
from ..store.errors import AmbiguousIdError, UnknownIdError
from ..store.query import TernFilter
from ..store.records import Status, TernHead
from ..store.scores import labels, scores
from ..store.summaries import summaries_of
from ..store.terns import Store
from ..store.threads import find_thread, list_threads
from .lists import Version, runs_table, threads_table, versions_of, versions_table
from .markup import Child, Markup, document, element
from .run_page import run_section
from .style import STYLE
from .texts import status_of, value

PAGE = 50
"""Runs on one page."""
_STATUSES = get_args(Status)
HTML, JSON = "text/html; charset=utf-8", "application/json"


class Page(msgspec.Struct, frozen=True):
    """What a browser gets."""

    body: str
    status: int = 200
    kind: str = HTML


def page_for(store: Store, path: str, query: Mapping[str, str], *, tenant: str = "") -> Page:
    """The page at `path`, with the fields of its query. One that is not there is a page too, with status 404."""
    parts = [part for part in path.split("/") if part]
    try:
        match parts:
            case []:
                return _runs(store, query, tenant)
            case ["run", id]:
                return _run(store, id, tenant)
            case ["run", id, "json"]:
                return Page(msgspec.json.encode(store.get(id, tenant=tenant)).decode(), kind=JSON)
            case ["threads"]:
                return _threads(store, tenant)
            case ["thread", id]:
                return _thread(store, id, tenant)
            case ["versions"]:
                return _versions(store, tenant)
    except (UnknownIdError, AmbiguousIdError) as error:
        return _missing(str(error))
    return _missing(f"there is no page {path}")


def _runs(store: Store, query: Mapping[str, str], tenant: str) -> Page:
    given = {
        name: text for name in ("flow", "status", "version", "text") if (text := query.get(name, "").strip())
    }
    if given.get("status") not in (None, *_STATUSES):
        return _missing(f"there is no status {given['status']}")
    number = (
        int(page) if (page := query.get("page", "1")).isascii() and page.isdigit() and len(page) < 9 else 1
    )
    number = max(number, 1)
    chosen = TernFilter(tenant=tenant, limit=PAGE, **given)  # type: ignore[arg-type]
    total = store.count_terns(chosen)
    runs = store.list_terns(chosen, skip=(number - 1) * PAGE)
    body = (
        _search(given),
        runs_table(runs, _run_link),
        _pages(given, number, total),
    )
    return _page("Runs", *body)


def _search(given: Mapping[str, str]) -> Markup:
    options = [element("option", "any status", value="")]
    options += [element("option", one, value=one, selected=given.get("status") == one) for one in _STATUSES]
    return element(
        "form",
        element("input", name="text", value=given.get("text"), placeholder="words"),
        element("input", name="flow", value=given.get("flow"), placeholder="flow"),
        element("input", name="version", value=given.get("version"), placeholder="version or hash"),
        element("select", *options, name="status"),
        element("button", "search"),
        method="get",
        action="/",
    )


def _pages(given: Mapping[str, str], number: int, total: int) -> Markup:
    first, last = (number - 1) * PAGE + 1, min(number * PAGE, total)
    shown = f"{first}–{last} of {total:,}" if total and first <= total else f"{total:,} in all"

    def link(text: str, to: int) -> Markup:
        return element("a", text, href=f"/?{urlencode({**given, 'page': to})}")

    return element(
        "div",
        element("span", shown, class_="soft"),
        link("newer", number - 1) if number > 1 else None,
        link("older", number + 1) if last < total else None,
        class_="pages",
    )


def _run(store: Store, id: str, tenant: str) -> Page:
    tern = store.get(id, tenant=tenant)
    mine = TernFilter(tenant=tenant, thread=tern.thread)
    thread = element("a", tern.thread, href=_thread_link(tern.thread), class_="id")
    section = run_section(
        tern,
        scores=[score for score in scores(store, mine) if score.run == tern.id],
        labels=[label for label in labels(store, mine) if label.run == tern.id],
        whole=f"{_run_link(tern.id)}/json",
        thread=thread,
    )
    as_json = element("p", element("a", "the whole record as JSON", href=f"{_run_link(tern.id)}/json"))
    return _page(f"{tern.flow} {tern.id[:8]}", section, as_json)


def _threads(store: Store, tenant: str) -> Page:
    return _page(
        "Threads",
        element("h1", "Threads"),
        threads_table(list_threads(store, tenant=tenant, limit=200), _thread_link),
    )


def _thread(store: Store, id: str, tenant: str) -> Page:
    thread = find_thread(store, id, tenant=tenant)
    turns = store.turns(thread, after=0, limit=500, tenant=tenant)
    memory = list(summaries_of(store, thread, tenant=tenant))
    body: list[Child] = [element("h1", "Thread ", element("span", thread, class_="id"))]
    for turn in turns:
        while memory and memory[0][0].last < turn.turn:
            summary, _ = memory.pop(0)
            body += [_summed_up(summary.first, summary.last), value(summary.text)]
        body.append(_turn(turn))
    for summary, _ in memory:
        body += [_summed_up(summary.first, summary.last), value(summary.text)]
    return _page(f"Thread {thread[:8]}", *body)


def _summed_up(first: int, last: int) -> Markup:
    return element("h2", f"Turns {first}–{last}, summed up", class_="soft")


def _turn(turn: TernHead) -> Markup:
    link = element("a", turn.id[:8], href=_run_link(turn.id), class_="id")
    said = (
        value(turn.answer, f"{_run_link(turn.id)}/json")
        if turn.status == "answered"
        else status_of(turn.status, turn.reason or turn.status)
    )
    title = element("div", element("b", f"{turn.turn}  "), status_of(turn.status), "  ", link)
    return element("div", title, value(turn.task, f"{_run_link(turn.id)}/json"), said, class_="step")


def _versions(store: Store, tenant: str) -> Page:
    mine = TernFilter(tenant=tenant)
    found = versions_of(store.list_terns(mine), scores(store, mine), labels(store, mine))

    def link(one: Version) -> str:
        return f"/?{urlencode({'version': one.prompt or one.version or ''})}"

    return _page("Versions", element("h1", "Versions"), versions_table(found, link))


def _page(title: str, *body: Child) -> Page:
    return Page(document(f"{one_line(title, 60)} · jrun view", STYLE, navigation(), *body))


def _missing(message: str) -> Page:
    body = (navigation(), element("h1", "Not found"), element("p", message))
    return Page(document("Not found · jrun view", STYLE, *body), 404)


def navigation() -> Markup:
    links = (("Runs", "/"), ("Threads", "/threads"), ("Versions", "/versions"))
    return element("nav", element("b", "jrun"), *(element("a", text, href=to) for text, to in links))


def _run_link(id: str) -> str:
    return f"/run/{quote(id, safe='')}"


def _thread_link(id: str) -> str:
    return f"/thread/{quote(id, safe='')}"
