"""What is made of text that does not fit the grammar: one message per mistake, and a tree all the same."""
