"""Golden vectors, and the means to make more: (design, truth, words) and the report they give."""
