"""How the pages look, in light and in dark."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2126; --soft: #5d6872; --line: #d9dee3; --back: #fff; --pane: #f5f7f9;
  --good: #17753c; --bad: #b3261e; --odd: #8a5a00; --mark: #2457a6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --soft: #98a3ad; --line: #333b43; --back: #14181c;
  --pane: #1c2227; --good: #5fcf8a; --bad: #ff8a80; --odd: #e6b450; --mark: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1.25rem 4rem; color: var(--ink); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--mark); text-decoration: none; } a:hover { text-decoration: underline; }
nav { display: flex; gap: 1.25rem; align-items: baseline; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
nav b { font-weight: 650; } nav .store { margin-left: auto; color: var(--soft); font-size: .85em; }
h1 { font-size: 1.3rem; margin: 1.2rem 0 .4rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--soft); font-weight: 500; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } td.wide { width: 45%; overflow-wrap: anywhere; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); } .odd { color: var(--odd); }
code, pre, .id { font-family: ui-monospace, monospace; font-size: .9em; }
pre { margin: .25rem 0; padding: .5rem .7rem; background: var(--pane); border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 32rem; overflow: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: .5rem 0; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: .8rem 0; }
input, select, button { font: inherit; color: inherit; background: var(--pane); border: 1px solid var(--line);
  border-radius: 6px; padding: .2rem .5rem; }
.step { border-left: 2px solid var(--line); margin: .5rem 0 .5rem .2rem; padding-left: .9rem; }
.step > summary, .step > .title { display: flex; gap: .7rem;
  align-items: baseline; flex-wrap: wrap; }
summary { cursor: pointer; } .step .step { margin-left: .3rem; }
.time { position: relative; flex: 1 1 8rem; min-width: 6rem; height: .5rem;
  background: var(--pane); border-radius: 3px; }
.time i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: var(--mark); border-radius: 3px; }
.bar { display: inline-block; width: 7rem; height: .6rem;
  background: var(--pane); border-radius: 3px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--mark); }
.part { margin: .35rem 0 .35rem .2rem; } .pages { margin: 1rem 0; display: flex; gap: 1rem; }
"""
