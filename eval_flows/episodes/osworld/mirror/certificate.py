"""A key and a certificate for the server of a mirror, by Python alone: an elliptic curve (P-256), signed by itself.

The browser of one machine is told the hash of the key, and takes the certificate for any host; nobody else trusts it.
"""

import base64
import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

_P = 2**256 - 2**224 + 2**192 + 2**96 - 1  # the field, the order and the base point of P-256 (FIPS 186-4, D.1.2.3)
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_WIDTH = 32  # bytes of a coordinate
_CURVE, _PUBLIC_KEY, _ECDSA_SHA256, _COMMON_NAME, _OTHER_NAMES = (
    bytes.fromhex(one) for one in ("06082a8648ce3d030107", "06072a8648ce3d0201", "06082a8648ce3d040302", "0603550403", "0603551d11")
)  # names of objects in DER
_INTEGER, _BITS, _BYTES, _TEXT, _TIME, _SEQUENCE, _SET, _DNS = 0x02, 0x03, 0x04, 0x0C, 0x18, 0x30, 0x31, 0x82
_FROM, _UNTIL = b"20200101000000Z", b"20500101000000Z"
_LARGEST_SERIAL = 2**63
Point = tuple[int, int]


@dataclass(frozen=True)
class Certificate:
    """The key and the certificate as PEM in one text, and the SHA-256 of the public key in base 64, as Chromium takes it."""

    pem: str
    key_hash: str


def made_certificate(hosts: Iterable[str]) -> Certificate:
    """Return a new key with a certificate for these hosts."""
    secret = 1 + secrets.randbelow(_ORDER - 1)
    point = b"\x04" + b"".join(one.to_bytes(_WIDTH, "big") for one in _times(secret, _BASE))
    public = _der(_SEQUENCE, _der(_SEQUENCE, _PUBLIC_KEY, _CURVE), _der(_BITS, b"\0", point))
    name = _der(_SEQUENCE, _der(_SET, _der(_SEQUENCE, _COMMON_NAME, _der(_TEXT, b"local mirror"))))
    names = _der(_SEQUENCE, _OTHER_NAMES, _der(_BYTES, _der(_SEQUENCE, *(_der(_DNS, host.encode()) for host in sorted(hosts)))))
    algorithm = _der(_SEQUENCE, _ECDSA_SHA256)
    signed = _der(
        _SEQUENCE,
        _der(0xA0, _number(2)),  # version 3
        _number(secrets.randbelow(_LARGEST_SERIAL)),
        algorithm,
        name,
        _der(_SEQUENCE, _der(_TIME, _FROM), _der(_TIME, _UNTIL)),
        name,
        public,
        _der(0xA3, _der(_SEQUENCE, names)),
    )
    certificate = _der(_SEQUENCE, signed, algorithm, _der(_BITS, b"\0", _signature(secret, signed)))
    key = _der(_SEQUENCE, _number(1), _der(_BYTES, secret.to_bytes(_WIDTH, "big")), _der(0xA0, _CURVE), _der(0xA1, _der(_BITS, b"\0", point)))
    return Certificate(_pem("EC PRIVATE KEY", key) + _pem("CERTIFICATE", certificate), base64.b64encode(hashlib.sha256(public).digest()).decode())


def _signature(secret: int, signed: bytes) -> bytes:
    """Return the signature of bytes by ECDSA with SHA-256."""
    digest = int.from_bytes(hashlib.sha256(signed).digest(), "big")
    once = 1 + secrets.randbelow(_ORDER - 1)
    first = _times(once, _BASE)[0] % _ORDER
    return _der(_SEQUENCE, _number(first), _number(pow(once, -1, _ORDER) * (digest + first * secret) % _ORDER))


def _times(number: int, point: Point) -> Point:
    """Return a point of the curve so many times; the number is at least 1 and below the order."""
    found = point
    for digit in f"{number:b}"[1:]:
        found = _plus(found, found)
        if digit == "1":
            found = _plus(found, point)
    return found


def _plus(one: Point, other: Point) -> Point:
    """Return the sum of two points that are equal, or that have different first coordinates."""
    rise, run = (3 * one[0] * one[0] - 3, 2 * one[1]) if one == other else (other[1] - one[1], other[0] - one[0])
    slope = rise * pow(run, -1, _P)
    x = (slope * slope - one[0] - other[0]) % _P
    return x, (slope * (one[0] - x) - one[1]) % _P


def _number(value: int) -> bytes:
    return _der(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def _der(tag: int, *parts: bytes) -> bytes:
    """Return parts as one value in DER, the binary form of certificates."""
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x80 | (size.bit_length() + 7) // 8]) + size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag]) + length + content


def _pem(kind: str, content: bytes) -> str:
    text = base64.b64encode(content).decode()
    lines = "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n"
