" Colours before the language server has answered; its semantic tokens go on top.
if exists("b:current_syntax")
  finish
endif
syntax match judgeComment "#.*$" contains=@Spell
syntax match judgeDeclaration "^\(code\s\+judge\|\l\+\)\>"
syntax match judgeType "\<\u\w*\>"
syntax keyword judgeConstant true false null
syntax match judgeNumber "\$\?\<\d[0-9_]*\(\.\d\+\)\?\(ms\|[smhd]\)\?\>"
syntax match judgeTemplate "{{.\{-}}}" contained
syntax region judgeText start=+"+ skip=+\\.+ end=+"+ oneline contains=judgeTemplate,@Spell
syntax region judgeText start=+"""+ skip=+\\.+ end=+"""+ contains=judgeTemplate,@Spell
syntax match judgeRaw +\<r"[^"]*"+
highlight default link judgeComment Comment
highlight default link judgeDeclaration Keyword
highlight default link judgeType Type
highlight default link judgeConstant Constant
highlight default link judgeNumber Number
highlight default link judgeText String
highlight default link judgeRaw String
highlight default link judgeTemplate Special
let b:current_syntax = "judge"
