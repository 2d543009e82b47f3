"""From text to the tree: chunks, tokens, the LALR driver and what each rule builds."""
