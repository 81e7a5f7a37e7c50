"""Calling: one request after another, with a key; what the studio refuses is an error."""

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from frankly.errors import DeniedError, FranklyError, StudioError

if TYPE_CHECKING:
    import httpx

__all__ = ["Caller"]

API = "/api/v1/surveys"

T = TypeVar("T")


class Caller:
    """Sends requests to one studio."""

    def __init__(self, client: "httpx.Client") -> None:
        self.client = client

    def ask(self, method: str, path: str, **more: Any) -> bytes:
        """Send one request; raise the studio's own words when it refuses."""
        import httpx  # noqa: PLC0415 - it is there, or there would be no client

        try:
            response = self.client.request(method, f"{API}{path}", **more)
        except httpx.HTTPError as error:
            raise StudioError(
                f"the studio at {self.client.base_url} does not answer ({type(error).__name__}). "
                "Is it running, and is this its address?"
            ) from None
        except (TypeError, ValueError) as error:
            raise FranklyError(
                f"this cannot be sent as JSON ({type(error).__name__}). A document holds texts, "
                "finite numbers, true, false, None, lists, and mappings by text"
            ) from None
        if response.is_success:
            return response.content
        raise refusal(response.status_code, response.content)

    def read(self, kind: type[T], method: str, path: str, **more: Any) -> T:
        """Send one request, and read its answer."""
        content = self.ask(method, path, **more)
        try:
            return msgspec.json.decode(content, type=kind, strict=False)
        except msgspec.MsgspecError:
            raise self.strange() from None

    def strange(self) -> StudioError:
        """Say that what came is nothing a studio says."""
        return StudioError(
            f"what {self.client.base_url} answers is not what a studio says. Is this the address "
            "of the studio itself, and is it of the same version as this package?"
        )


def refusal(status: int, content: bytes) -> StudioError:
    """Read the studio's words."""
    try:
        message = str(json.loads(content)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        message = f"the studio answered {status}. Is this a studio's address?"
    return (DeniedError if status in {401, 403, 404} else StudioError)(message, status)
