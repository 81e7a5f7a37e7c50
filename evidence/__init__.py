"""Our claims, each beside the figure that supports it: `make evidence`."""
