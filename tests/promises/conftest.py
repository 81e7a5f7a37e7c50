"""What promises about the studio share with its own tests."""

from tests.studio.conftest import kept_password, studio

__all__ = ["kept_password", "studio"]
