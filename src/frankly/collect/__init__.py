"""The respondent's server: takes reports in, holds no coin, keeps no trace."""

from frankly.collect.app import create_app
from frankly.collect.refusal import HELP, Refusal
from frankly.collect.site import Asset, Site, integrity, load_site
from frankly.collect.writer import Writer

__all__ = ["HELP", "Asset", "Refusal", "Site", "Writer", "create_app", "integrity", "load_site"]
