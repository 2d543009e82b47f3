"""Random programs in random layouts, from a seed."""

from __future__ import annotations

from random import Random

NAMES = ("draft", "reply", "found", "model", "prompt", "url", "cases", "parallel", "loop", "weight_of")


class Programs:
    """Writes declarations that parse; white space, line breaks and comments stand where chance puts them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0

    def program(self) -> str:
        kinds = (self.agent, self.judge, self.gate, self.flow, self.type, self.test, self.let, self.choice)
        return "\n".join(self.random.choice(kinds)() for _ in range(self.random.randint(1, 6))) + "\n"

    def name(self) -> str:
        self.count += 1
        return f"{self.random.choice(NAMES)}_{self.count}"

    def gap(self) -> str:
        """Between clauses or statements: white space, a line break, or a comment."""
        return self.random.choice(("  ", "\n  ", "\n\n    ", "\n  # a note\n  ", "  # behind\n  "))

    def text(self) -> str:
        return self.random.choice(
            (
                '"plain"',
                r'"a \"quoted\" {{ name }} text"',
                'r"raw\\d+"',
                '"""\n    a block\n      of text\n    """',
                '"ü 😀"',
            )
        )

    def expr(self, depth: int = 3) -> str:
        r = self.random
        if depth == 0 or r.random() < 0.2:
            return r.choice(
                ("x", "3", "0.25", "1_000", '"t"', "true", "null", "x.y", "xs[0]", "$0.50", "5m", "[]", "{}")
            )
        one, two = self.expr(depth - 1), self.expr(depth - 1)
        return r.choice(
            (
                f"({one}) + ({two})",
                f"({one})  and   ({two})",
                f"not ({one})",
                f"({one}) not in ({two})",
                f"(({one}) starts with ({two}))",
                f"({one}) - 1",
                f"-({one})",
                f"len({one},  {two})",
                f"[{one}, {two},]",
                f"{{ a: {one}, in: {two} }}",
                f"(if ({one}) then ({two}) else ({one}))",
                f"(every i in ({one}): ({two}))",
                f"[i for i in ({one}) if ({two})]",
                f"({one}) is not Offer",
                f"({one}).name",
                f"({one})[({two})]",
                f"({one}) * ({two}) % 3",
                f"({one}) or ({two}) or ({one})",
            )
        )

    def block(self, head: str, parts: list[str]) -> str:
        inner = "".join(self.gap() + part for part in parts)
        end = self.random.choice((" }", "\n}"))
        if "#" in inner or "\n" in inner or end == "\n}":
            end = "\n}"
        return f"{head} {{{inner}{end}"

    def agent(self) -> str:
        parts = [f"model {self.name()}", f"prompt {self.text()}", "judges [a, b(x, bar: 0.8)]", "retries 2"]
        return self.block(f'agent {self.name()}(a: text, b: int(0..)? = 3) -> Offer[] "d"', parts)

    def judge(self) -> str:
        parts = [
            f"let x = {self.expr()}",
            f"require {self.expr()} else {self.text()}",
            f"metrics {{ a: {self.expr(1)} }}",
        ]
        if self.random.random() < 0.5:
            parts.append(f'case Offer {{ require {self.expr(2)} else "no" }}')
        return self.block(f"code judge {self.name()}(reply: Offer | Refusal)", parts)

    def gate(self) -> str:
        entries = ['contains "a" weight 0.2', 'not regex r"b" as bee weight 0.3', "length 1..5 weight 0.5"]
        scorers = self.block("scorers", entries).replace("\n}", "\n  }")
        combine = "combine weighted" + self.random.choice(("", " at least 0.7"))
        parts = [f"target {self.expr(2)}", scorers, combine, "unreadable block"]
        return self.block(f"gate {self.name()}(input)", parts)

    def flow(self) -> str:
        return self.block(
            f"flow {self.name()}(x: text, xs: text[]) -> text", [*self.statements(2), "return x"]
        )

    def statements(self, depth: int) -> list[str]:
        r = self.random
        parts = [
            f"a = {self.expr(2)}",
            "f(x)",
            "b = try g(x) else null",
            "c = each i in xs at most 3 at once: f(i)",
        ]
        parts.append('d = best of 2: f(x) picked by p "Which?"')
        if depth:
            inner = self.statements(depth - 1)[:2]
            parts.append(self.nested(f"if {self.expr(1)}", inner) + " " + self.nested("else", ['stop "x"']))
            parts.append(self.nested("loop at most 3 times until a", inner))
            cases = [self.nested("case one", inner[:1]), self.nested('case "two"', [])]
            parts.append(self.nested("switch a", cases))
            parts.append(self.nested("parallel", ["m = f(x)", "n = try g(x)"]))
        r.shuffle(parts)
        return parts[: r.randint(1, len(parts))]

    def nested(self, head: str, parts: list[str]) -> str:
        return self.block(head, parts).replace("\n}", "\n  }")

    def type(self) -> str:
        fields = [
            'title: text(1..120) "the title"',
            "pay: int(0..)?",
            'level: "junior" | "senior"',
            "in: (A | B)[](1..5)",
        ]
        return self.block(f"type T{self.name()}", fields)

    def test(self) -> str:
        parts = [
            f"given {{ q: {self.expr(1)} }}",
            f"{self.name()} replies {self.expr(2)} when {self.expr(1)}",
            f"expect {self.expr(2)}",
            'expect fails with "flow.stop"',
        ]
        return self.block(f'test "t {self.count}" for main', parts)

    def let(self) -> str:
        return f"let {self.name()}  =   {self.expr()}"

    def choice(self) -> str:
        parts = [
            "model jev",
            f"ask {self.text()}",
            'options { one "first"  two }',
            "confidence at least 0.8",
            "cache 5m by x",
        ]
        return self.block(f"choice {self.name()}(x: text)", parts)
