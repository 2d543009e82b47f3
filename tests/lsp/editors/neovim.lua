-- Run by test_neovim.py in a headless Neovim: shows diagnostics, takes a completion, applies a fix.
-- Prints one line of JSON for each thing it did.
local function say(what, value)
  io.stdout:write(vim.json.encode({ what, value }) .. "\n")
end

local function wait_for(what, condition)
  if not vim.wait(10000, condition, 20) then
    say("timeout", what)
    vim.cmd("cquit 1")
  end
end

local function main()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.JUDGE_FILE))
  say("filetype", vim.bo.filetype)
  wait_for("client", function() return #vim.lsp.get_clients({ name = "judgeflow" }) == 1 end)
  wait_for("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
  local found = vim.diagnostic.get(0)[1]
  say("diagnostic", { found.code, found.lnum, found.col })

  -- The fix, as `gra` applies it where there is one choice.
  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, 0 })
  vim.lsp.buf.code_action({
    context = { only = { "quickfix" } },
    filter = function(action) return action.isPreferred end,
    apply = true,
  })
  wait_for("fix", function() return #vim.diagnostic.get(0) == 0 end)
  say("fixed", vim.api.nvim_get_current_line())

  vim.lsp.buf.format({ timeout_ms = 5000 })
  say("text", vim.api.nvim_buf_get_lines(0, 0, -1, false))

  -- A completion, as keys would take it.
  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, 0 })
  vim.api.nvim_feedkeys(vim.keycode("oju<C-x><C-o>"), "nx!", false)
end

-- The completion comes while insert mode waits for keys.
vim.api.nvim_create_autocmd("CompleteChanged", {
  once = true,
  callback = function()
    vim.schedule(function()
      local words = vim.tbl_map(function(item) return item.abbr end, vim.fn.complete_info({ "items" }).items)
      say("completions", words)
      vim.api.nvim_feedkeys(vim.keycode("<C-y><Esc>"), "n", false)
      vim.defer_fn(function()
        vim.cmd("stopinsert")
        say("completed", vim.api.nvim_get_current_line())
        say("lenses", vim.tbl_map(
          function(lens) return lens.command.title end,
          vim.lsp.buf_request_sync(0, "textDocument/codeLens", { textDocument = vim.lsp.util.make_text_document_params() }, 5000)[1].result
        ))
        say("messages", vim.fn.execute("messages"))
        vim.cmd("qall!")
      end, 200)
    end)
  end,
})

local ok, problem = pcall(main)
if not ok then
  say("error", tostring(problem))
  vim.cmd("cquit 1")
end
