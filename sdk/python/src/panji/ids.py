"""Checks of CIN, LLPIN, FCRN, DIN, GSTIN and PAN without a call.

    from panji import ids
    ids.check_gstin("27ZZACK4368A1ZQ").reason
    # "the check character is wrong: character 15 must be P to fit the others, found Q"

The rules, the words and the sentences are those of the service: it returns the same for the form of a number. Whether a
number was ever issued, only a register can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Literal

from ._identifier_text import (
    ALPHABET,
    DIGITS,
    LETTERS,
    LONGEST,
    WHITE as WHITE,
    Fault,
    Format,
    Parser,
    Wrong,
    compact,
    digit_like,
    letter_like,
    matches,
    resembles,
)
from ._tables import CIN_CLASSES, CIN_STATES, GST_STATES, HOLDER_TEXTS, HOLDER_TYPES

__all__ = ["Check", "check", "check_cin", "check_din", "check_gstin", "check_pan", "gstin_check_digit", "kind_of"]

Kind = Literal["cin", "din", "gstin", "pan"]
_EARLIEST_YEAR = 1850
_INDIA = timezone(timedelta(hours=5, minutes=30))
# All LLPs share it in forms of the Reserve Bank.
_DUMMY_CIN = "A99999AA9999LLP999999"
_HOLDER_LETTERS = "ABCFGHJKLPT"
# Fourteenth characters of a normal registration; D and C belong to other kinds.
_NORMAL_FOURTEENTH = "Z123456789ABEFGHIJ"


@dataclass(frozen=True)
class Check:
    """The verdict on the form of a text. `repr` leaves out the number, which may be personal data."""

    type: Kind | None
    """The kind it was checked as; None if it has the form of none. LLPIN and FCRN count as `cin`."""
    valid: bool
    canonical: str | None = field(default=None, repr=False)
    """The number as the service writes it; None if it is not valid."""
    reason: str | None = None
    """What is wrong, as a sentence without capital and full stop; None if it is valid."""
    fault: Fault | None = None
    """What is wrong, as a word."""
    position: int | None = None
    """The character at fault, counted from 1 in the text without the spaces around it."""
    parsed: Mapping[str, Any] | None = field(default=None, repr=False)
    """The parts of the number, as `parsed` of the service's verification; None for a DIN."""


_CIN = Format("a CIN", "21 characters", 21, 21)
_LLPIN = Format("an LLPIN", "8 characters (7 without its hyphen)", 7, 8, hyphen=4)
_FCRN = Format("an FCRN", "6 or 7 characters", 6, 7)
_DIN = Format("a DIN", "at most 8 digits", 1, 8)
_PAN = Format("a PAN", "10 characters", 10, 10, separators=True)
_GSTIN = Format("a GSTIN", "15 characters", 15, 15, separators=True)


_NO_PARTS = dict.fromkeys(["listed", "nic_code", "state_code", "state", "year", "class", "registration_number"])


def _parse_cin(text: str, this_year: int) -> tuple[str, dict[str, Any]]:
    parser = Parser(text, _CIN)
    cin = parser.text
    if cin == _DUMMY_CIN:
        reason = "this is the RBI's dummy CIN that any LLP may write in its forms, it names no company"
        raise Wrong("reserved", None, reason)
    parser.expect_one_of(0, "LU", "L or U")
    parser.expect(1, "99999AA9999AAA999999")
    year = int(cin[8:12])
    given = f"characters 9 to 12 give the year as {year:04}, it cannot be"
    if year < _EARLIEST_YEAR:
        raise Wrong("year", parser.position(8), f"{given} earlier than {_EARLIEST_YEAR}")
    if year > this_year + 1:
        raise Wrong("year", parser.position(8), f"{given} later than {this_year + 1}")
    return cin, {
        "kind": "company",
        "listed": cin[0] == "L",
        "nic_code": cin[1:6],
        "state_code": cin[6:8],
        "state": CIN_STATES.get(cin[6:8]),
        "year": year,
        "class": CIN_CLASSES.get(cin[12:15]),
        "registration_number": cin[15:],
    }


def _parse_llpin(text: str) -> tuple[str, dict[str, Any]]:
    parser = Parser(text, _LLPIN)
    parser.expect(0, "AAA")
    if len(parser.text) == 8:
        parser.expect_one_of(3, "-", "a hyphen")
        parser.expect(4, "9999")
        return parser.text, {"kind": "llp", **_NO_PARTS}
    if parser.text[3] == "-":
        raise Wrong("length", None, f"an LLPIN has 4 digits after its hyphen, this has {len(parser.text) - 4}")
    parser.expect(3, "9999")
    return f"{parser.text[:3]}-{parser.text[3:]}", {"kind": "llp", **_NO_PARTS}


def _parse_fcrn(text: str) -> tuple[str, dict[str, Any]]:
    parser = Parser(text, _FCRN)
    parser.expect_one_of(0, "F", "F")
    parser.expect(1, "999999"[: len(parser.text) - 1])
    return parser.text, {"kind": "foreign_company", **_NO_PARTS}


def _parse_company(text: str, this_year: int) -> tuple[str, dict[str, Any]]:
    """Decides by the form which of the three is meant, so that the reason is about the right one."""
    trimmed = text.strip(WHITE)
    count = len(trimmed)
    first = compact(trimmed[:3], False)
    other = resembles(trimmed)
    # The length of a text in bytes decides, as in the service.
    if len(trimmed.encode("utf-8", "surrogatepass")) == LONGEST:
        return _parse_cin(text, this_year)
    if other == "an LLPIN":
        return _parse_llpin(text)
    if other == "an FCRN":
        return _parse_fcrn(text)
    if other is not None or count == 0 or count >= 16:
        return _parse_cin(text, this_year)
    if 4 <= count <= 9 and first[0] == "F" and digit_like(first[1]):
        return _parse_fcrn(text)
    if 6 <= count <= 9 and first[0] in LETTERS and first[1] not in DIGITS:
        return _parse_llpin(text)
    reason = (
        "a company is named by a CIN (21 characters), an LLPIN (like AAA-0000) or an FCRN "
        f"(F and 5 or 6 digits), this has {count}"
    )
    raise Wrong("length", None, reason)


def _parse_din(text: str) -> tuple[str, None]:
    parser = Parser(text, _DIN)
    parser.expect(0, "99999999"[: len(parser.text)])
    if not parser.text.strip("0"):
        raise Wrong("reserved", None, "a DIN of only zeros is never issued")
    return parser.text.rjust(8, "0"), None


def _expect_pan(parser: Parser, start: int) -> None:
    parser.expect(start, "AAA")
    parser.expect_one_of(
        start + 3, _HOLDER_LETTERS, "the letter of a holder type (A, B, C, F, G, H, J, K, L, P or T)"
    )
    parser.expect(start + 4, "A9999A")
    if parser.text[start + 5 : start + 9] == "0000":
        position = parser.position(start + 5)
        reason = f"the four digits from character {position} on cannot all be zero in a PAN"
        raise Wrong("reserved", position, reason)


def _parse_pan(text: str) -> tuple[str, dict[str, Any]]:
    parser = Parser(text, _PAN)
    _expect_pan(parser, 0)
    letter = parser.text[3]
    return parser.text, {"holder_type": HOLDER_TYPES[letter], "holder_type_text": HOLDER_TEXTS[letter]}


def gstin_check_digit(first_fourteen: str) -> str | None:
    """The check character of the first fourteen characters of a GSTIN; None if they are not letters and digits."""
    upper = first_fourteen.upper()
    if len(upper) != 14 or any(character not in ALPHABET for character in upper):
        return None
    total = 0
    for index, character in enumerate(upper):
        product = ALPHABET.index(character) * (1 + index % 2)
        total += product // 36 + product % 36
    return ALPHABET[(36 - total % 36) % 36]


def _taxpayer_kind(gstin: str) -> str:
    marks = gstin[12:14]
    if marks in ("NR", "OS", "UN", "ON"):
        return {"NR": "non_resident", "OS": "online_services"}.get(marks, "un_body_or_embassy")
    if marks[1] in "DC":
        return "tax_deductor" if marks[1] == "D" else "tax_collector"
    return "government_department" if marks[1] == "Z" and matches(gstin, "99AAAA99999A9A9") else "normal"


def _expect_gstin(parser: Parser, kind: str, has_tan: bool) -> None:
    state = parser.text[:2]
    if kind in ("non_resident", "online_services", "un_body_or_embassy"):
        parser.expect(2, "99AAA99999AA*")
        if kind == "online_services" and state != "99":
            reason = f"a GSTIN for online services from abroad begins with 99, found {state}"
            raise Wrong("state", parser.position(0), reason)
    elif kind in ("tax_deductor", "tax_collector"):
        if has_tan:
            parser.expect(2, "AAAA99999A")
        else:
            _expect_pan(parser, 2)
        parser.expect(12, "s**")
    elif kind == "normal":
        _expect_pan(parser, 2)
        parser.expect(12, "s")
        parser.expect_one_of(13, _NORMAL_FOURTEENTH, "Z or another mark of a registration type")
        parser.expect(14, "*")


def _parse_gstin(text: str) -> tuple[str, dict[str, Any]]:
    parser = Parser(text, _GSTIN)
    gstin = parser.text
    parser.expect(0, "99")
    if gstin[:2] not in GST_STATES:
        reason = f"{gstin[:2]}, the first two characters, is not a GST state code"
        raise Wrong("state", parser.position(0), reason)
    kind = _taxpayer_kind(gstin)
    # The fifth character of the middle part is a letter in a PAN and a digit in a TAN.
    has_tan = kind == "tax_deductor" and gstin[6] in DIGITS
    _expect_gstin(parser, kind, has_tan)
    right = gstin_check_digit(gstin[:14])
    if right != gstin[14]:
        position = parser.position(14)
        reason = f"the check character is wrong: character {position} must be {right} to fit the others, found {gstin[14]}"
        raise Wrong("check_digit", position, reason)
    without_number = kind in ("non_resident", "online_services", "un_body_or_embassy")
    has_pan = kind in ("normal", "tax_collector", "tax_deductor") and not has_tan
    return gstin, {
        "state_code": gstin[:2],
        "state": GST_STATES[gstin[:2]],
        "pan": gstin[2:12] if has_pan else None,
        "entity_number": None if without_number else gstin[12],
        "taxpayer_kind": kind,
    }


def _nearly_a_company(joined: str) -> bool:
    if len(joined) in (6, 7) and joined[0] == "F" and all(map(digit_like, joined[1:])):
        return True
    letters, digits = joined[:3], joined[3:]
    return (
        len(joined) == 7
        and all(map(letter_like, letters))
        and any(byte in LETTERS for byte in letters)
        and all(map(digit_like, digits))
        and any(byte in DIGITS for byte in digits)
    )


def _nearly_a_pan(joined: str) -> bool:
    first = joined[:3]
    return (
        len(joined) == 10
        and sum(byte in LETTERS for byte in first) >= 2
        and all(map(letter_like, first))
        and all(byte in ALPHABET for byte in joined)
        and any(byte in DIGITS for byte in joined)
    )


def kind_of(text: str) -> Kind | None:
    """The most likely kind of a text, also of one with a typing error; None if it has the form of none."""
    trimmed = text.strip(WHITE)
    plain, joined = compact(trimmed, False), compact(trimmed, True)
    if resembles(trimmed) in ("a CIN", "an LLPIN", "an FCRN"):
        return "cin"
    if 0 < len(plain) <= 8 and all(byte in DIGITS for byte in plain):
        return "din"
    if (len(plain) == LONGEST and plain[0] in LETTERS) or _nearly_a_company(joined):
        return "cin"
    if 15 in (len(plain), len(joined)) and any(map(digit_like, joined[:2])):
        return "gstin"
    if _nearly_a_pan(joined):
        return "pan"
    if len(plain) == 8 and sum(byte in DIGITS for byte in plain) > 4 and all(map(digit_like, plain)):
        return "din"
    return None


def _verdict(kind: Kind, parse: Callable[[], tuple[str, dict[str, Any] | None]]) -> Check:
    try:
        canonical, parsed = parse()
    except Wrong as wrong:
        return Check(kind, False, reason=wrong.reason, fault=wrong.fault, position=wrong.position)
    return Check(kind, True, canonical, parsed=parsed)


def check_cin(text: str, *, this_year: int | None = None) -> Check:
    """Checks a CIN, LLPIN or FCRN. The year in a CIN is 1850 to the one after `this_year`, by default India's."""
    year = this_year or datetime.now(_INDIA).year
    return _verdict("cin", lambda: _parse_company(text, year))


def check_din(text: str) -> Check:
    """Checks a DIN: 1 to 8 digits."""
    return _verdict("din", lambda: _parse_din(text))


def check_gstin(text: str) -> Check:
    """Checks a GSTIN with its state code and its check character."""
    return _verdict("gstin", lambda: _parse_gstin(text))


def check_pan(text: str) -> Check:
    """Checks a PAN. Its last letter has a rule that is not public, so a well-formed PAN need not exist."""
    return _verdict("pan", lambda: _parse_pan(text))


def check(text: str, *, this_year: int | None = None) -> Check:
    """Checks a text as what it has the form of."""
    kind = kind_of(text)
    if kind == "cin":
        return check_cin(text, this_year=this_year)
    if kind is not None:
        return {"din": check_din, "gstin": check_gstin, "pan": check_pan}[kind](text)
    if not text.strip(WHITE):
        return Check(None, False, reason="an identifier is needed here, nothing was given", fault="empty")
    reason = "this does not have the form of a CIN, LLPIN, FCRN, DIN, GSTIN or PAN"
    return Check(None, False, reason=reason, fault="unrecognised")
