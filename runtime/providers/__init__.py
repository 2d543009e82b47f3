"""The services that answer: each file translates one of them. Nothing but the command line and the public
face, and what they hand it to, knows a provider by name.
"""

# General layout, in reading order:
#
#   settings.py    what a program says about a model and its provider, and what that came to (`Target`)
#   choose.py      which provider serves a model: pure, over an injected environment
#   open.py        a target becomes a `Provider`, whose connections live as long as its `async with`
#
#   service.py     one service: every call takes this path (permit, send, read, retry), and no other
#   failures.py    the table of everything that can go wrong; service_error.py: how a response is told to be one of it
#   retry.py       whether and when the same request is sent again; waiting.py: how long a service asks for
#   permits.py     how many calls a service takes at once: starts low, grows, halves when told to slow down
#   breaker.py     a service that is down is left alone for a while
#   pool.py        the connections of a service, through httpx and httpcore, which no other module knows;
#                  exchange.py: what passes between it and a reader; way_out.py: proxies, and what errors on the way
#                  are called
#   clockwork.py   what a service gets from outside: environment, timing, randomness, the time of day
#   wire.py        bytes → server-sent events, size limits
#
#   chat.py        a chat service; openai.py, anthropic.py: request → body; openai_reply.py and
#                  anthropic_reply.py: response → reply; tool_calls.py, reasoning.py, characters.py: what needs care;
#                  forms.py: typed answers from services without tools; habits.py: settings that a model does not take
#   decide.py      a decision service; system_one.py, openai_decisions.py: two formats; answers.py: values
#   chat_decides.py, stated.py     decisions from any chat model: log-probabilities, or the numbers it states
#   echo.py, script.py, local.py   without a service: an echo, written answers, the model inside the package
#   cache.py, recording.py         around any of them: replies kept for later runs, replies that become a script
#   usage.py               what an answer used, added up over attempts
#
#   public.py              `judgeflow.providers`: some of these for an application's own decisions
