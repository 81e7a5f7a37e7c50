"""The commands of the survey service."""

from frankly.cli.backup import backup, restore
from frankly.cli.demo import demo
from frankly.cli.export import export
from frankly.cli.invite import invite
from frankly.cli.open_close import close_survey, delete, open_survey
from frankly.cli.serve import serve
from frankly.cli.verify_site import verify_site

__all__ = ["COMMANDS"]

COMMANDS = (
    backup,
    close_survey,
    delete,
    demo,
    export,
    invite,
    open_survey,
    restore,
    serve,
    verify_site,
)
