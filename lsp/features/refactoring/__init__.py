"""Changes of a program's form that leave what it does: a value, a scorer or a model gets a name of its own.

Each gives a title and the edits of the file, in file offsets."""
