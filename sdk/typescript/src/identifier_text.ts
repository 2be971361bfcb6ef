// The text of an identifier: its characters in upper case, and which of them is wrong.

export type Fault =
  | "empty"
  | "length"
  | "character"
  | "year"
  | "state"
  | "check_digit"
  | "reserved"
  | "other_identifier"
  | "unrecognised";

export const DIGITS = "0123456789";
export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const ALPHABET = DIGITS + LETTERS;
export const LONGEST = 21;
const SLOTS: Readonly<Record<string, readonly [allowed: string, name: string]>> = {
  "9": [DIGITS, "a digit"],
  A: [LETTERS, "a letter"],
  s: [LETTERS + DIGITS.slice(1), "a letter or a digit from 1 to 9"],
  "*": [ALPHABET, "a letter or a digit"],
};
const SEPARATORS = " .-";
// Stands for a character outside ASCII: no pattern accepts it.
const FOREIGN = "\u00ff";
// White space as the service trims it. `trim` also removes U+FEFF, and keeps U+0085.
const WHITE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;
const LOOK_ALIKES: Readonly<Record<string, readonly (readonly [other: string, name: string])[]>> = {
  O: [["0", "a zero"]],
  I: [["1", "a one"]],
  L: [["1", "a one"]],
  Z: [["2", "a two"]],
  S: [["5", "a five"]],
  B: [["8", "an eight"]],
  "0": [["O", "the letter O"]],
  "1": [
    ["I", "the letter I"],
    ["L", "the letter L"],
  ],
  "2": [["Z", "the letter Z"]],
  "5": [["S", "the letter S"]],
  "8": [["B", "the letter B"]],
};
const SHAPES: readonly (readonly [shape: string, noun: string])[] = [
  ["A99999AA9999AAA999999", "a CIN"],
  ["99AAAAA9999As**", "a GSTIN"],
  ["99AAAA99999As**", "a GSTIN"],
  ["9999AAA99999AA*", "a GSTIN"],
  ["AAAAA9999A", "a PAN"],
  ["AAAA99999A", "a TAN"],
  ["99999999", "a DIN"],
  ["AAA9999", "an LLPIN"],
  ["A999999", "an FCRN"],
  ["A99999", "an FCRN"],
];

export class Wrong extends Error {
  readonly fault: Fault;
  readonly position: number | null;

  constructor(fault: Fault, position: number | null, reason: string) {
    super(reason);
    this.fault = fault;
    this.position = position;
  }
}

export interface Format {
  noun: string;
  size: string;
  shortest: number;
  longest: number;
  separators?: boolean;
  hyphen?: number;
}

export function trim(text: string): string {
  return text.replace(WHITE, "");
}

/** One character at a place, or an empty text. */
export function at(text: string, index: number): string {
  return text.charAt(index);
}

/** Whether a text of one character is among others. */
export function among(character: string, allowed: string): boolean {
  return character !== "" && allowed.includes(character);
}

export function all(text: string, test: (character: string) => boolean): boolean {
  return [...text].every(test);
}

export function isDigit(character: string): boolean {
  return among(character, DIGITS);
}

export function isLetter(character: string): boolean {
  return among(character, LETTERS);
}

export function isAlphanumeric(character: string): boolean {
  return among(character, ALPHABET);
}

function upper(character: string): string {
  return character <= "\u007f" ? character.toUpperCase() : FOREIGN;
}

interface Placed {
  position: number;
  character: string;
}

/** The characters with their positions from 1; single separators between others are left out if allowed. */
function significant(trimmed: string, separators: boolean): Placed[] {
  const characters = [...trimmed];
  const found: Placed[] = [];
  let follows = false;
  characters.forEach((character, index) => {
    if (!among(character, SEPARATORS)) {
      follows = true;
      found.push({ position: index + 1, character });
      return;
    }
    const next = characters[index + 1];
    const precedes = next !== undefined && !among(next, SEPARATORS);
    if (!(separators && follows && precedes)) found.push({ position: index + 1, character });
    follows = false;
  });
  return found;
}

/** The characters in upper case; each is one unit long. */
export function compact(trimmed: string, separators: boolean): string {
  return significant(trimmed, separators)
    .map(({ character }) => upper(character))
    .join("");
}

export function matches(text: string, pattern: string): boolean {
  return text.length === pattern.length && [...pattern].every((slot, index) => among(at(text, index), allowedIn(slot)[0]));
}

function allowedIn(slot: string): readonly [string, string] {
  const found = SLOTS[slot];
  if (found === undefined) throw new RangeError(`a pattern has no ${slot}`);
  return found;
}

/** The identifier whose form a text has exactly; separators are ignored. */
export function resembles(trimmed: string): string | null {
  const given = compact(trimmed, true);
  const noun = SHAPES.find(([shape]) => matches(given, shape))?.[1] ?? null;
  if (noun === "an FCRN" && at(given, 0) !== "F") return null;
  if (noun === "a CIN" && !among(at(given, 0), "LU")) return null;
  return noun;
}

export function digitLike(character: string): boolean {
  return isDigit(character) || (LOOK_ALIKES[character] ?? []).some(([other]) => isDigit(other));
}

export function letterLike(character: string): boolean {
  return isLetter(character) || (LOOK_ALIKES[character] ?? []).some(([other]) => isLetter(other));
}

function describe(character: string): string {
  if (character === " ") return "a space";
  if (isAlphanumeric(character.toUpperCase())) return character;
  if (character >= "!" && character <= "~") return `'${character}'`;
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text of the right length, in upper case. */
export class Parser {
  readonly text: string;
  readonly #trimmed: string;
  readonly #format: Format;
  readonly #characters: Placed[];

  constructor(text: string, format: Format) {
    this.#trimmed = trim(text);
    this.#format = format;
    this.#characters = significant(this.#trimmed, format.separators ?? false);
    this.text = this.#characters.map(({ character }) => upper(character)).join("");
    if (this.text.length < format.shortest || this.text.length > format.longest) throw this.#wrongLength();
  }

  position(index: number): number {
    return this.#characters[index]?.position ?? index + 1;
  }

  expect(start: number, pattern: string): void {
    [...pattern].forEach((slot, offset) => this.expectOneOf(start + offset, ...allowedIn(slot)));
  }

  expectOneOf(index: number, allowed: string, wanted: string): void {
    const found = at(this.text, index);
    if (among(found, allowed)) return;
    const position = this.position(index);
    const shown = isAlphanumeric(found) ? found : describe(this.#characters[index]?.character ?? "");
    const meant = (LOOK_ALIKES[found] ?? []).find(([other]) => allowed.includes(other));
    const hint = meant === undefined ? "" : `: ${meant[1]} was probably meant`;
    const reason = `character ${position} must be ${wanted}, found ${shown}${hint}`;
    const other = resembles(this.#trimmed);
    if (other === null || other === this.#format.noun) throw new Wrong("character", position, reason);
    throw new Wrong("other_identifier", position, `${reason}; this looks like ${other}, not ${this.#format.noun}`);
  }

  #wrongLength(): Wrong {
    const { noun, size, shortest, longest, hyphen } = this.#format;
    const count = this.text.length;
    if (count === 0) return new Wrong("empty", null, `${noun} is needed here, nothing was given`);
    const stray = ({ position, character }: Placed): Wrong =>
      new Wrong("character", position, `character ${position} is ${describe(character)}, which ${noun} cannot contain`);
    const characters = [...this.#trimmed];
    const invisible = characters.findIndex((character) => character < " " || character > "~");
    if (invisible !== -1) return stray({ position: invisible + 1, character: characters[invisible] ?? "" });
    const other = resembles(this.#trimmed);
    if (other !== null && other !== noun) return new Wrong("other_identifier", null, `looks like ${other}, not ${noun}`);
    const wanted = (character: string): boolean => isAlphanumeric(character.toUpperCase());
    const alphanumeric = characters.filter(wanted).length;
    if (alphanumeric >= shortest && alphanumeric <= longest) {
      const wrong = this.#characters.find(
        ({ position, character }) => !wanted(character) && !(character === "-" && hyphen === position),
      );
      if (wrong !== undefined) return stray(wrong);
    }
    return new Wrong("length", null, `${noun} has ${size}, this has ${count}`);
  }
}
