"""`judgeflow.providers`: who answers the questions of a judge."""

from .runtime.providers.public import chat_model, openai_decisions, scripted, system_one

__all__ = ["chat_model", "openai_decisions", "scripted", "system_one"]
