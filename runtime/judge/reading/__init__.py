"""What a reply says. Pure and exact; nothing here raises, and time grows linearly with the length of the reply.

Every reading carries `readable`: an unreadable judgement must never look like a real one. Read in this order: text
(characters), strict_json, fences, lenient_json, own_words (what is only quoted), markers, then verdict, rate, winner.
"""

from .lenient_json import JsonReading, read_json
from .numbers import exact_number
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
    "exact_number",
    "read_gate_judge",
    "read_json",
    "read_rate",
    "read_verdict",
    "read_winner",
    "strip_reasoning",
]
