vim.filetype.add({ extension = { judge = "judge" } })
