-- `vim.lsp.enable("judgeflow")` reads this (Neovim 0.11 or newer).
return {
  cmd = { "jrun", "lsp" },
  filetypes = { "judge" },
  root_markers = { "pyproject.toml", ".git" },
}
