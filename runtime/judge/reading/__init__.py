"""Reading replies: pure, exact, never raising. Every reading says whether it could be read.

General layout: `text`, `numbers` and `fences` are what all agree on; `strict_json` and `lenient_json` find JSON;
`own_words` masks what is not the judge's; `markers` reads `VERDICT:`, `SCORE:` and `WINNER:`; `verdict`, `rate` and
`winner` are the readings; `reasoning` takes a model's thinking off first.
"""

from .lenient_json import JsonReading, read_json
from .rate import RateReading, read_rate
from .reasoning import strip_reasoning
from .verdict import GateJudgeReading, VerdictReading, read_gate_judge, read_verdict
from .winner import WinnerReading, read_winner

__all__ = [
    "GateJudgeReading",
    "JsonReading",
    "RateReading",
    "VerdictReading",
    "WinnerReading",
    "read_gate_judge",
    "read_json",
    "read_rate",
    "read_verdict",
    "read_winner",
    "strip_reasoning",
]
