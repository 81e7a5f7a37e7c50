"""The owner's side: design a survey, watch its estimates, mine, and take the data home.

Only the formats of survey files are loaded here: `frankly convert` needs no server.
"""

from frankly.studio.files import read_survey_file, write_survey_file

__all__ = ["read_survey_file", "write_survey_file"]
