-- What the lenses above a flow, a test and a judge do: `vim.lsp.codelens.run()`, or `:JudgeRun` and `:JudgeTest`.

---@param words string[] what follows `jrun`
local function in_terminal(words)
  local config = vim.lsp.config.judgeflow or {}
  local command = vim.list_slice(config.cmd or { "jrun", "lsp" })
  if command[#command] == "lsp" then
    table.remove(command)
  end
  vim.cmd("botright 15new")
  vim.fn.jobstart(vim.list_extend(command, words), { term = true })
end

---@param uri string
---@param flow string?
---@param needed { name: string, shape: string }[]?
local function run(uri, flow, needed)
  local words = { "run", vim.uri_to_fname(uri) }
  if flow then
    vim.list_extend(words, { "--flow", flow })
  end
  for _, input in ipairs(needed or {}) do
    local prompt = vim.startswith(input.shape, "text") and "" or " (" .. input.shape .. ", as JSON)"
    local given, value = pcall(vim.fn.input, input.name .. prompt .. ": ")
    if not given or value == "" then
      return
    end
    vim.list_extend(words, { "--input", input.name .. "=" .. value })
  end
  in_terminal(words)
end

---@param uri string
---@param name string?
local function test(uri, name)
  local words = { "test", vim.uri_to_fname(uri) }
  in_terminal(name and vim.list_extend(words, { "-k", name }) or words)
end

vim.lsp.commands["judgeflow.run"] = function(command)
  run(unpack(command.arguments))
end

vim.lsp.commands["judgeflow.test"] = function(command)
  test(unpack(command.arguments))
end

vim.lsp.commands["judgeflow.showReferences"] = function(command)
  local at = command.arguments[2]
  vim.api.nvim_win_set_cursor(0, { at.line + 1, at.character })
  vim.lsp.buf.references({ includeDeclaration = false })
end

vim.api.nvim_create_user_command("JudgeRun", function(given)
  run(vim.uri_from_bufnr(0), given.args ~= "" and given.args or nil)
end, { nargs = "?", desc = "Run a flow of this file" })

vim.api.nvim_create_user_command("JudgeTest", function(given)
  test(vim.uri_from_bufnr(0), given.args ~= "" and given.args or nil)
end, { nargs = "?", desc = "Run the tests of this file" })
