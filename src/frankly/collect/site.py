"""Site: the page and its modules, each with its hash, and the headers they travel under."""

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

__all__ = ["TYPES", "Asset", "Site", "integrity", "load_site"]

TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
}
PAGE = "index.html"


@dataclass(frozen=True)
class Asset:
    """One file of the page."""

    path: str
    body: bytes

    @property
    def media(self) -> str:
        """What the browser is told it is."""
        return f"{TYPES[Path(self.path).suffix]}; charset=utf-8"

    @cached_property
    def integrity(self) -> str:
        """The hash that the browser checks."""
        return integrity(self.body)

    @cached_property
    def packed(self) -> bytes:
        """The same bytes, compressed for the way; no clock in them."""
        return gzip.compress(self.body, 9, mtime=0)


def integrity(body: bytes) -> str:
    """Hash bytes the way browsers write it.

    Examples
    --------
    >>> integrity(b"")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(body).digest()).decode()


@dataclass(frozen=True)
class Site:
    """Everything that a respondent's browser loads, made the same way every time."""

    assets: dict[str, Asset]
    template: str

    @cached_property
    def import_map(self) -> str:
        """The hash of every module, which the browser checks before it runs one."""
        modules = {
            f"/web/{path}": asset.integrity
            for path, asset in sorted(self.assets.items())
            if path.endswith(".js")
        }
        return json.dumps({"integrity": modules}, separators=(",", ":"))

    @cached_property
    def page(self) -> Asset:
        """The page: the same bytes for every survey and every visitor."""
        page = self.template.replace("{{importmap}}", self.import_map)
        for path, asset in self.assets.items():
            page = page.replace(f"{{{{{path}}}}}", asset.integrity)
        return Asset(PAGE, page.encode())

    @cached_property
    def headers(self) -> dict[str, str]:
        """What every response carries."""
        allowed = f"'self' '{integrity(self.import_map.encode())}'"
        policy = {
            "default-src": "'none'",
            "script-src": allowed,
            "style-src": "'self'",
            "img-src": "'self'",
            "connect-src": "'self'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
            "require-trusted-types-for": "'script'",
        }
        return {
            "Content-Security-Policy": "; ".join(f"{k} {v}" for k, v in policy.items()),
            "Integrity-Policy": "blocked-destinations=(script)",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Cache-Control": "no-cache",
        }

    def hashes(self) -> dict[str, str]:
        """List the hash of the page and of every file, for release notes and comparison."""
        named = {f"web/{path}": asset.integrity for path, asset in sorted(self.assets.items())}
        return {"page": self.page.integrity, **named}


def load_site(folder: Path | None = None) -> Site:
    """Read the browser's half, as it was installed."""
    root = folder or Path(str(files("frankly").joinpath("web")))
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.suffix in TYPES and path.name != PAGE
    }
    assets = {path: Asset(path, body) for path, body in found.items()}
    return Site(assets, (root / PAGE).read_text(encoding="utf-8"))
