"""Several organisations, one model, no table shown."""

from frankly.collaborate.certificates import Identity, make_identity
from frankly.collaborate.circle import Circle, SecureSum
from frankly.collaborate.party import join, replay
from frankly.collaborate.session import Session
from frankly.collaborate.state import State
from frankly.collaborate.tasks import Home
from frankly.collaborate.transcript import Transcript

__all__ = [
    "Circle",
    "Home",
    "Identity",
    "SecureSum",
    "Session",
    "State",
    "Transcript",
    "join",
    "make_identity",
    "replay",
]
