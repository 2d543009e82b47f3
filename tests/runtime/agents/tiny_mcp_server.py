"""A small MCP server over standard input and output, for the tests of MCP tools. Needs nothing but Python.

Its functions: `add`, `shout`, `fail`, `die` (the process ends), `wait` (never answers), `noise` (prints what is no
message), `environ`, `pid`, `latin` (no UTF-8) and `large`. `python tiny_mcp_server.py mute` never answers at all;
`rude` dies at once, `listless` lists no function.
"""

import json
import os
import sys

TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
NONE = {"type": "object", "properties": {}}
FUNCTIONS = {
    "add": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
    "shout": TEXT,
    "fail": NONE,
    "die": NONE,
    "wait": NONE,
    "noise": NONE,
    "environ": NONE,
    "pid": NONE,
    "picture": NONE,
    "large": NONE,
    "latin": NONE,
}


def send(message):
    line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(line.encode(errors="surrogateescape"))
    sys.stdout.flush()


def text(said, **more):
    return {"content": [{"type": "text", "text": said}], **more}


def called(name, given):
    if name == "add":
        total = given["a"] + given["b"]
        return text(str(total), structuredContent={"result": total})
    if name == "shout":
        return text(given["text"].upper())
    if name == "fail":
        return text("the disk is full", isError=True)
    if name == "die":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "noise":
        print("starting up…", flush=True)
        print("[1, 2", flush=True)
        send({"id": 900, "method": "ping"})
        send({"id": 901, "method": "sampling/createMessage", "params": {}})
        answers = [json.loads(sys.stdin.readline()) for _ in range(2)]
        return text(json.dumps([answers[0].get("result"), answers[1]["error"]["code"]]))
    if name == "environ":
        return text(json.dumps(sorted(os.environ)), structuredContent=dict(os.environ))
    if name == "picture":
        return {
            "content": [
                {"type": "image", "mimeType": "image/png", "data": "…"},
                {"type": "text", "text": "a tern"},
            ]
        }
    if name == "latin":
        return text("caf\udce9")
    if name == "large":
        return text("x" * 1_000_001)
    return text(str(os.getpid()))


def answer(message):
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        if "rude" in sys.argv:
            sys.exit("no licence")
        send({"id": number, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}})
    elif method == "tools/list" and "listless" in sys.argv:
        return
    elif method == "tools/list":
        # Two pages, as a server with many functions has.
        names = sorted(FUNCTIONS)
        first = not message["params"].get("cursor")
        page = names[:4] if first else names[4:]
        tools = [
            {"name": name, "description": f"does {name}", "inputSchema": FUNCTIONS[name]} for name in page
        ]
        send({"id": number, "result": {"tools": tools, **({"nextCursor": "2"} if first else {})}})
    elif method == "tools/call":
        name = message["params"]["name"]
        if name == "wait":
            return
        send({"id": number, "result": called(name, message["params"]["arguments"])})
    elif method == "notifications/cancelled" and len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write("cancelled")


for line in sys.stdin:
    if "mute" not in sys.argv:
        answer(json.loads(line))
