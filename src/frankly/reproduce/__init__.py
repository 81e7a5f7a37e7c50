"""Every figure and table of the papers, from the same code that users call."""
