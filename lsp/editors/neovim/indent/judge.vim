" A block's lines one step in, its closing bracket back below the line that opened it.
if exists("b:did_indent")
  finish
endif
let b:did_indent = 1
setlocal autoindent nosmartindent
setlocal indentexpr=JudgeIndent(v:lnum)
setlocal indentkeys=0},0),0],!^F,o,O
let b:undo_indent = "setlocal autoindent< smartindent< indentexpr< indentkeys<"

if exists("*JudgeIndent")
  finish
endif

function JudgeIndent(lnum) abort
  let previous = prevnonblank(a:lnum - 1)
  if previous == 0
    return 0
  endif
  let line = substitute(getline(previous), '\s\+#[^"]*$', '', '')
  let opens = line =~# '[{(\[]\s*$' || line =~# '\S\s*"""\s*$'
  let closes = getline(a:lnum) =~# '^\s*[})\]]'
  return indent(previous) + shiftwidth() * (opens - closes)
endfunction
