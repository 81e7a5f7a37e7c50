"""The commands of the survey service, which need what ``frankly[server]`` installs."""

from frankly.cli.demo import demo
from frankly.cli.invite import invite
from frankly.cli.open_close import close_survey, delete, open_survey
from frankly.cli.serve import serve

__all__ = ["COMMANDS"]

COMMANDS = (close_survey, delete, demo, invite, open_survey, serve)
