//! Tells Zed how the language server is started: `jrun lsp`, from the worktree's own environment.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Judgeflow;

impl zed::Extension for Judgeflow {
    fn new() -> Self {
        Judgeflow
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("jrun")
            .ok_or("`jrun` is not on the PATH: install it with `pip install judgeflow`")?;
        Ok(Command {
            command,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Judgeflow);
