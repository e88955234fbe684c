"""Protects the certificate of a mirror: others read it, its signature holds, and its hash is that of its key."""

import base64
import hashlib

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from eval_flows.episodes.osworld.mirror.certificate import made_certificate


def test_others_read_the_certificate_and_its_signature_holds() -> None:
    for _ in range(5):
        made = made_certificate(["www.example.com", "a.org"])
        read = x509.load_pem_x509_certificate(made.pem.encode())
        read.verify_directly_issued_by(read)
        names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName)
        key = read.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        assert names == ["a.org", "www.example.com"] and made.key_hash == base64.b64encode(hashlib.sha256(key).digest()).decode()


def test_many_hosts_fit_and_no_two_have_one_key() -> None:
    hosts = [f"host{number}.example.org" for number in range(500)]
    made = [made_certificate(hosts) for _ in range(2)]
    assert made[0].key_hash != made[1].key_hash and x509.load_pem_x509_certificate(made[0].pem.encode()).version == x509.Version.v3
