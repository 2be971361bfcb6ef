"""The text of an identifier: its characters in upper case, and which of them is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fault = Literal[
    "empty", "length", "character", "year", "state", "check_digit", "reserved", "other_identifier", "unrecognised"
]

DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABET = DIGITS + LETTERS
_SLOTS = {"9": DIGITS, "A": LETTERS, "s": LETTERS + DIGITS[1:], "*": ALPHABET}
_SLOT_NAMES = {"9": "a digit", "A": "a letter", "s": "a letter or a digit from 1 to 9", "*": "a letter or a digit"}
_SEPARATORS = " .-"
LONGEST = 21
# Stands for a character outside ASCII: no pattern accepts it.
_FOREIGN = "\xff"
# White space as the service trims it. `str.strip` also removes control characters that are none.
WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_LOOK_ALIKES: dict[str, list[tuple[str, str]]] = {
    "O": [("0", "a zero")],
    "I": [("1", "a one")],
    "L": [("1", "a one")],
    "Z": [("2", "a two")],
    "S": [("5", "a five")],
    "B": [("8", "an eight")],
    "0": [("O", "the letter O")],
    "1": [("I", "the letter I"), ("L", "the letter L")],
    "2": [("Z", "the letter Z")],
    "5": [("S", "the letter S")],
    "8": [("B", "the letter B")],
}
_SHAPES = [
    ("A99999AA9999AAA999999", "a CIN"),
    ("99AAAAA9999As**", "a GSTIN"),
    ("99AAAA99999As**", "a GSTIN"),
    ("9999AAA99999AA*", "a GSTIN"),
    ("AAAAA9999A", "a PAN"),
    ("AAAA99999A", "a TAN"),
    ("99999999", "a DIN"),
    ("AAA9999", "an LLPIN"),
    ("A999999", "an FCRN"),
    ("A99999", "an FCRN"),
]


class Wrong(Exception):
    def __init__(self, fault: Fault, position: int | None, reason: str) -> None:
        super().__init__(reason)
        self.fault: Fault = fault
        self.position = position
        self.reason = reason


@dataclass(frozen=True)
class Format:
    noun: str
    size: str
    shortest: int
    longest: int
    separators: bool = False
    hyphen: int = 0


def upper(character: str) -> str:
    return character.upper() if character.isascii() else _FOREIGN


def _significant(text: str, separators: bool) -> list[tuple[int, str]]:
    """The characters with their positions from 1; single separators between others are left out if allowed."""
    found: list[tuple[int, str]] = []
    follows = False
    for index, character in enumerate(text):
        if character not in _SEPARATORS:
            follows = True
            found.append((index + 1, character))
            continue
        precedes = index + 1 < len(text) and text[index + 1] not in _SEPARATORS
        if not (separators and follows and precedes):
            found.append((index + 1, character))
        follows = False
    return found


def matches(text: str, pattern: str) -> bool:
    return len(text) == len(pattern) and all(byte in _SLOTS[slot] for byte, slot in zip(text, pattern))


def compact(trimmed: str, separators: bool) -> str:
    return "".join(upper(character) for _, character in _significant(trimmed, separators))


def resembles(trimmed: str) -> str | None:
    """The identifier whose form a text has exactly; separators are ignored."""
    given = compact(trimmed, True)
    noun = next((noun for shape, noun in _SHAPES if matches(given, shape)), None)
    if (noun == "an FCRN" and given[0] != "F") or (noun == "a CIN" and given[0] not in "LU"):
        return None
    return noun


def _describe(character: str) -> str:
    if character == " ":
        return "a space"
    if character.isascii() and character.isalnum():
        return character
    return f"'{character}'" if "!" <= character <= "~" else f"U+{ord(character):04X}"


class Parser:
    """A text of the right length, in upper case."""

    def __init__(self, text: str, form: Format) -> None:
        self.trimmed = text.strip(WHITE)
        self.form = form
        self.characters = _significant(self.trimmed, form.separators)
        self.text = "".join(upper(character) for _, character in self.characters)
        if not form.shortest <= len(self.text) <= form.longest:
            raise self._wrong_length()

    def position(self, index: int) -> int:
        return self.characters[index][0]

    def expect(self, start: int, pattern: str) -> None:
        for index, slot in enumerate(pattern, start):
            self.expect_one_of(index, _SLOTS[slot], _SLOT_NAMES[slot])

    def expect_one_of(self, index: int, allowed: str, wanted: str) -> None:
        found = self.text[index]
        if found in allowed:
            return
        position, original = self.characters[index]
        shown = found if found in ALPHABET else _describe(original)
        meant = next((f": {name} was probably meant" for other, name in _LOOK_ALIKES.get(found, []) if other in allowed), "")
        reason = f"character {position} must be {wanted}, found {shown}{meant}"
        other = resembles(self.trimmed)
        if other is None or other == self.form.noun:
            raise Wrong("character", position, reason)
        raise Wrong("other_identifier", position, f"{reason}; this looks like {other}, not {self.form.noun}")

    def _wrong_length(self) -> Wrong:
        form, count = self.form, len(self.text)
        if count == 0:
            return Wrong("empty", None, f"{form.noun} is needed here, nothing was given")

        def stray(position: int, character: str) -> Wrong:
            reason = f"character {position} is {_describe(character)}, which {form.noun} cannot contain"
            return Wrong("character", position, reason)

        for position, character in enumerate(self.trimmed, 1):
            if not " " <= character <= "~":
                return stray(position, character)
        other = resembles(self.trimmed)
        if other is not None and other != form.noun:
            return Wrong("other_identifier", None, f"looks like {other}, not {form.noun}")
        letters_and_digits = sum(character.isalnum() for character in self.trimmed)
        if form.shortest <= letters_and_digits <= form.longest:
            for position, character in self.characters:
                if not character.isalnum() and not (character == "-" and form.hyphen == position):
                    return stray(position, character)
        return Wrong("length", None, f"{form.noun} has {form.size}, this has {count}")


def digit_like(byte: str) -> bool:
    return byte in DIGITS or any(other in DIGITS for other, _ in _LOOK_ALIKES.get(byte, []))


def letter_like(byte: str) -> bool:
    return byte in LETTERS or any(other in LETTERS for other, _ in _LOOK_ALIKES.get(byte, []))
