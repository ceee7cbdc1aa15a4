"""Records: NamedTuples whose fields are checked, named, documented and found by name."""
