"""Our speed beside the work's own floor and beside other packages, in one run."""
