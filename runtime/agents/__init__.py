"""The judged agent: its loop, its answer tools, its judges, its tools, and the gateway to models.

General layout: `messages` says what the actors say to each other; `gateway` reaches models; `loop` is an agent's visit;
`judges` turns a reply into a verdict; `tools` runs tools; `answers` asks for typed answers and reads them.
"""
