"""Compares the program's verdict on LEIs with that of python-stdnum, on numbers that are right or have one mistake.

python-stdnum checks neither the length nor that the check digits are digits: all numbers here have the form of an LEI.
"""

import json
import os
import random
import string
import subprocess

from stdnum import lei
from stdnum.iso7064 import mod_97_10

NUMBERS = 20_000
# Of GLEIF itself and of two large companies.
PUBLISHED = ["506700GE1G29325QX363", "HWUPKR0MPOU8FGXBT394", "INR2EJN1ERAN0W5ZP974"]


def right_number(chance):
    body = "".join(chance.choices(string.digits + string.ascii_uppercase, k=18))
    return body + mod_97_10.calc_check_digits(body)


def with_mistake(chance, number):
    position = chance.randrange(20)
    characters = string.digits if position >= 18 else string.digits + string.ascii_uppercase
    if chance.random() < 0.3 and position < 17:
        return number[:position] + number[position + 1] + number[position] + number[position + 2 :]
    return number[:position] + chance.choice(characters) + number[position + 1 :]


def verdicts(numbers):
    program = [os.environ["PANJI_BIN"], "check", "--type", "lei", "--json", "-"]
    done = subprocess.run(program, input="\n".join(numbers), capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    chance = random.Random(17442)
    numbers = list(PUBLISHED)
    while len(numbers) < NUMBERS:
        number = right_number(chance)
        numbers += [number, number.lower(), with_mistake(chance, number), with_mistake(chance, number)]
    results = verdicts(numbers)
    assert len(results) == len(numbers), (len(results), len(numbers))
    valid = 0
    for number, result in zip(numbers, results):
        assert result["valid"] == lei.is_valid(number), result
        valid += result["valid"]
    assert all(result["valid"] for result in results[: len(PUBLISHED)])
    assert NUMBERS / 4 < valid < NUMBERS, valid
    print(f"{len(numbers)} numbers, {valid} of them valid, the same verdict on each")


main()
