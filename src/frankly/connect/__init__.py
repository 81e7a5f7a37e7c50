"""A studio from Python, with a key; every call is one request of its API."""

from frankly.connect.answers import Audit, Model, Privacy, Results, Shares, State, Table
from frankly.connect.studio import Studio, connect
from frankly.connect.survey import RemoteSurvey

__all__ = [
    "Audit",
    "Model",
    "Privacy",
    "RemoteSurvey",
    "Results",
    "Shares",
    "State",
    "Studio",
    "Table",
    "connect",
]
