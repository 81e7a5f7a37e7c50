"""How the documentation is built: `make docs`."""

import logging
from importlib import metadata
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "frankly"

project = "Frankly"
author = "The Frankly authors"
copyright = author
release = metadata.version("frankly")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Frankly {release}"
html_copy_source = False

default_role = "code"
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 2
napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"

logging.getLogger("alembic").setLevel(logging.WARNING)  # it greets each of its parts when imported

ROOM = """\
{title}
{line}

.. automodule:: {name}
   :members:
   :imported-members:
   :show-inheritance:
"""


def rooms() -> list[str]:
    """List the rooms that stand, by what Python imports."""
    built = [path for path in PACKAGE.iterdir() if (path / "__init__.py").exists()]
    return ["frankly.errors", *sorted(f"frankly.{path.name}" for path in built)]


def write_reference(_: Sphinx) -> None:
    """Write one page a room, so that a new room is documented the day it is built."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    for stale in folder.glob("*.rst"):
        stale.unlink()
    for name in rooms():
        page = ROOM.format(title=name, line="=" * len(name), name=name)
        (folder / f"{name}.rst").write_text(page)


def not_ours(_: Sphinx, __: str, name: str, ___: object, skip: bool, ____: object) -> bool:
    """Leave out what scikit-learn adds to every estimator: its text points into its own pages."""
    return skip or (name.startswith("set_") and name.endswith("_request"))


def setup(app: Sphinx) -> None:
    """Hook the reference into the build."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-skip-member", not_ours)
