"""What keeps others from using this page and from exhausting the machine: host, origin, token, headers, limits."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Mapping

from roofcast.core.records import dataclass

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
COOKIE = "roofcast"
TOKEN_HEADER = "x-roofcast-token"  # noqa: S105 - the header's name


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that keep one visitor from exhausting the machine."""

    upload_bytes: int = 256_000_000
    memory_bytes: int = 6 << 30
    """Address space of the parsing worker."""
    file_bytes: int = 1 << 30
    """Of each file that it writes, such as a decompressed copy."""
    parse_s: float = 60.0
    run_s: float = 120.0
    """Of a command that a view shows."""
    profiles: int = 256
    """Profiles kept; the one that was used longest ago goes first."""
    profile_bytes: int = 2 << 30
    """Of memory and disk that the profiles may take together."""
    results: int = 256
    """Forecasts kept for downloads."""
    result_bytes: int = 1 << 30
    """Of results in memory and of pages on disk."""
    keep_s: float = 4 * 3600.0
    targets: int = 12
    json_bytes: int = 64 << 10
    receiving_at_once: int = 16
    """Uploads on this machine's disk, parsed or not; the others wait their turn."""
    parsing_at_once: int = 2
    forecasts_at_once: int = 2
    silence_s: float = 20.0
    """How long a visitor may say nothing, be it before a request or within one."""
    least_bytes_per_s: float = 10_000.0
    """Of what a visitor sends, after the first ``silence_s``."""
    connections: int = 256
    """Beyond them, those that ask for nothing are closed first."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Who may ask."""

    token: str
    hosts: frozenset[str]
    """Host headers that are this server; the names of other machines could point here (DNS rebinding)."""
    any_address: bool = False
    """Whether any IP address is taken as this server's, as it is where it listens on all of them."""
    auth: str = ""
    """What a visitor must bring; '' where nothing."""
    proxy: bool = False
    """Whether a reverse proxy stands before it, whose ``X-Forwarded-*`` say what the visitor asked for."""
    read_only: bool = False
    """Whether visitors may neither drop nor remove a profile."""

    def seen(self, headers: Mapping[str, str]) -> tuple[str, str]:
        """Scheme and host that a visitor asked for."""
        if not self.proxy:
            return "http", headers.get("host", "")
        last = {k: headers.get(f"x-forwarded-{k}", "").split(",")[-1].strip() for k in ("proto", "host")}
        return last["proto"].lower() or "http", last["host"] or headers.get("host", "")

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether a visitor brings the word that was asked for, as a cookie or as ``Authorization: Bearer``."""
        if not self.auth:
            return True
        bearer = headers.get("authorization", "")
        pairs = (c.strip().partition("=") for c in headers.get("cookie", "").split(";"))
        given = [value for name, _, value in pairs if name == COOKIE]
        given += [bearer[7:].strip()] if bearer.lower().startswith("bearer ") else []
        return any(self.is_word(g) for g in given)

    def is_word(self, given: str) -> bool:
        """Whether it is the word that was asked for, in a time that tells nothing."""
        return bool(self.auth) and hmac.compare_digest(given.encode(), self.auth.encode())

    def is_host(self, host: str) -> bool:
        """Whether a Host header names this server."""
        return host.lower() in self.hosts or (self.any_address and is_address(host))

    def refusal(self, method: str, headers: Mapping[str, str]) -> str:
        """Why a request is refused; '' where it is not."""
        _, host = self.seen(headers)
        if not self.is_host(host):
            return "unknown host"
        origin = headers.get("origin", "")
        if origin and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return "another origin"
        given = headers.get(TOKEN_HEADER, "")
        if method not in ("GET", "HEAD") and not hmac.compare_digest(given.encode(), self.token.encode()):
            return "no token: reload the page"
        return ""


def is_address(host: str) -> bool:
    """Whether a Host header is an IP address, with or without a port.

    >>> is_address("192.168.0.7:8000"), is_address("[::1]:8000"), is_address("evil.example")
    (True, True, False)
    """
    plain = host.partition("]")[0].removeprefix("[") if host.startswith("[") else host.rpartition(":")[0] or host
    try:
        ipaddress.ip_address(plain)
    except ValueError:
        return False
    return True


def hosts_of(host: str, port: int, more: Iterable[str] = (), *, proxy: bool = False) -> frozenset[str]:
    """Host headers of a server that listens on a host and port. proxy : the names of ``more`` are those of a proxy.

    >>> sorted(hosts_of("127.0.0.1", 80))
    ['127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:80', 'localhost', 'localhost:80']
    """
    literal = f"[{host}]" if ":" in host else host
    names = {"127.0.0.1", "localhost", "[::1]", literal.lower(), *(m.lower() for m in more)}
    public = {m.lower() for m in more} if proxy else set()
    return frozenset({f"{n}:{port}" for n in names} | (names if port == 80 else set()) | public)
