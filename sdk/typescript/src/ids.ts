/**
 * Checks of CIN, LLPIN, FCRN, DIN, GSTIN and PAN without a call.
 *
 *     checkGstin("27ZZACK4368A1ZQ").reason
 *     // "the check character is wrong: character 15 must be P to fit the others, found Q"
 *
 * The rules, the words and the sentences are those of the service: it returns the same for the form of a number. Whether
 * a number was ever issued, only a register can tell.
 */

import {
  all,
  ALPHABET,
  at,
  compact,
  digitLike,
  type Fault,
  type Format,
  isAlphanumeric,
  isDigit,
  isLetter,
  letterLike,
  LONGEST,
  matches,
  Parser,
  resembles,
  trim,
  Wrong,
} from "./identifier_text.ts";
import { CIN_CLASSES, CIN_STATES, GST_STATES, HOLDER_TEXTS, HOLDER_TYPES } from "./tables.ts";
import type { ParsedCin, ParsedGstin, ParsedPan } from "./types.ts";

export type { Fault } from "./identifier_text.ts";
export type Kind = "cin" | "din" | "gstin" | "pan";

/** The verdict on the form of a text. */
export interface Check<Parsed = ParsedCin | ParsedGstin | ParsedPan | null> {
  /** The kind it was checked as; null if it has the form of none. LLPIN and FCRN count as `cin`. */
  type: Kind | null;
  valid: boolean;
  /** The number as the service writes it; null if it is not valid. */
  canonical: string | null;
  /** What is wrong, as a sentence without capital and full stop; null if it is valid. */
  reason: string | null;
  /** What is wrong, as a word. */
  fault: Fault | null;
  /** The character at fault, counted from 1 in the text without the spaces around it. */
  position: number | null;
  /** The parts of the number, as `parsed` of the service's verification; null if it is not valid, and for a DIN. */
  parsed: Parsed | null;
}

const CIN: Format = { noun: "a CIN", size: "21 characters", shortest: 21, longest: 21 };
const LLPIN: Format = { noun: "an LLPIN", size: "8 characters (7 without its hyphen)", shortest: 7, longest: 8, hyphen: 4 };
const FCRN: Format = { noun: "an FCRN", size: "6 or 7 characters", shortest: 6, longest: 7 };
const DIN: Format = { noun: "a DIN", size: "at most 8 digits", shortest: 1, longest: 8 };
const PAN: Format = { noun: "a PAN", size: "10 characters", shortest: 10, longest: 10, separators: true };
const GSTIN: Format = { noun: "a GSTIN", size: "15 characters", shortest: 15, longest: 15, separators: true };
const EARLIEST_YEAR = 1850;
const INDIA_OFFSET_MS = 5.5 * 3_600_000;
// All LLPs share it in forms of the Reserve Bank.
const DUMMY_CIN = "A99999AA9999LLP999999";
const HOLDER_LETTERS = "ABCFGHJKLPT";
// Fourteenth characters of a normal registration; D and C belong to other kinds.
const NORMAL_FOURTEENTH = "Z123456789ABEFGHIJ";

type Read<Parsed> = [canonical: string, parsed: Parsed | null];

function withoutParts(kind: string): ParsedCin {
  return { kind, class: null, listed: null, nic_code: null, registration_number: null, state: null, state_code: null, year: null };
}

function readCin(text: string, thisYear: number): Read<ParsedCin> {
  const parser = new Parser(text, CIN);
  const cin = parser.text;
  if (cin === DUMMY_CIN) {
    throw new Wrong("reserved", null, "this is the RBI's dummy CIN that any LLP may write in its forms, it names no company");
  }
  parser.expectOneOf(0, "LU", "L or U");
  parser.expect(1, "99999AA9999AAA999999");
  const year = Number(cin.slice(8, 12));
  const given = `characters 9 to 12 give the year as ${cin.slice(8, 12)}, it cannot be`;
  if (year < EARLIEST_YEAR) throw new Wrong("year", parser.position(8), `${given} earlier than ${EARLIEST_YEAR}`);
  if (year > thisYear + 1) throw new Wrong("year", parser.position(8), `${given} later than ${thisYear + 1}`);
  const parsed: ParsedCin = {
    kind: "company",
    listed: at(cin, 0) === "L",
    nic_code: cin.slice(1, 6),
    state_code: cin.slice(6, 8),
    state: CIN_STATES[cin.slice(6, 8)] ?? null,
    year,
    class: CIN_CLASSES[cin.slice(12, 15)] ?? null,
    registration_number: cin.slice(15),
  };
  return [cin, parsed];
}

function readLlpin(text: string): Read<ParsedCin> {
  const parser = new Parser(text, LLPIN);
  const llpin = parser.text;
  parser.expect(0, "AAA");
  if (llpin.length === 8) {
    parser.expectOneOf(3, "-", "a hyphen");
    parser.expect(4, "9999");
    return [llpin, withoutParts("llp")];
  }
  if (at(llpin, 3) === "-") {
    throw new Wrong("length", null, `an LLPIN has 4 digits after its hyphen, this has ${llpin.length - 4}`);
  }
  parser.expect(3, "9999");
  return [`${llpin.slice(0, 3)}-${llpin.slice(3)}`, withoutParts("llp")];
}

function readFcrn(text: string): Read<ParsedCin> {
  const parser = new Parser(text, FCRN);
  parser.expectOneOf(0, "F", "F");
  parser.expect(1, "999999".slice(0, parser.text.length - 1));
  return [parser.text, withoutParts("foreign_company")];
}

/** Decides by the form which of the three is meant, so that the reason is about the right one. */
function readCompany(text: string, thisYear: number): Read<ParsedCin> {
  const trimmed = trim(text);
  const given = compact(trimmed, false);
  const count = given.length;
  // The length of a text in bytes decides, as in the service.
  if (new TextEncoder().encode(trimmed).length === LONGEST) return readCin(text, thisYear);
  const other = resembles(trimmed);
  if (other === "an LLPIN") return readLlpin(text);
  if (other === "an FCRN") return readFcrn(text);
  if (other !== null || count === 0 || count >= 16) return readCin(text, thisYear);
  if (count >= 4 && count <= 9 && at(given, 0) === "F" && digitLike(at(given, 1))) return readFcrn(text);
  if (count >= 6 && count <= 9 && isLetter(at(given, 0)) && !isDigit(at(given, 1))) return readLlpin(text);
  const reason =
    "a company is named by a CIN (21 characters), an LLPIN (like AAA-0000) or an FCRN " +
    `(F and 5 or 6 digits), this has ${count}`;
  throw new Wrong("length", null, reason);
}

function readDin(text: string): Read<null> {
  const parser = new Parser(text, DIN);
  parser.expect(0, "99999999".slice(0, parser.text.length));
  if (Number(parser.text) === 0) throw new Wrong("reserved", null, "a DIN of only zeros is never issued");
  return [parser.text.padStart(8, "0"), null];
}

function expectPan(parser: Parser, start: number): void {
  parser.expect(start, "AAA");
  parser.expectOneOf(start + 3, HOLDER_LETTERS, "the letter of a holder type (A, B, C, F, G, H, J, K, L, P or T)");
  parser.expect(start + 4, "A9999A");
  if (parser.text.slice(start + 5, start + 9) === "0000") {
    const position = parser.position(start + 5);
    throw new Wrong("reserved", position, `the four digits from character ${position} on cannot all be zero in a PAN`);
  }
}

function readPan(text: string): Read<ParsedPan> {
  const parser = new Parser(text, PAN);
  expectPan(parser, 0);
  const letter = at(parser.text, 3);
  return [parser.text, { holder_type: HOLDER_TYPES[letter] ?? "", holder_type_text: HOLDER_TEXTS[letter] ?? "" }];
}

/** The check character of the first fourteen characters of a GSTIN; null if they are not letters and digits. */
export function gstinCheckDigit(firstFourteen: string): string | null {
  const upper = firstFourteen.toUpperCase();
  if (upper.length !== 14 || !all(upper, isAlphanumeric)) return null;
  let sum = 0;
  [...upper].forEach((character, index) => {
    const product = ALPHABET.indexOf(character) * (1 + (index % 2));
    sum += Math.floor(product / 36) + (product % 36);
  });
  return at(ALPHABET, (36 - (sum % 36)) % 36);
}

function taxpayerKind(gstin: string): string {
  const marks = gstin.slice(12, 14);
  if (marks === "NR") return "non_resident";
  if (marks === "OS") return "online_services";
  if (marks === "UN" || marks === "ON") return "un_body_or_embassy";
  if (marks.endsWith("D")) return "tax_deductor";
  if (marks.endsWith("C")) return "tax_collector";
  return marks.endsWith("Z") && matches(gstin, "99AAAA99999A9A9") ? "government_department" : "normal";
}

const KINDS_OF_ABROAD = ["non_resident", "online_services", "un_body_or_embassy"];

function expectGstin(parser: Parser, kind: string, hasTan: boolean): void {
  const state = parser.text.slice(0, 2);
  if (KINDS_OF_ABROAD.includes(kind)) {
    parser.expect(2, "99AAA99999AA*");
    if (kind === "online_services" && state !== "99") {
      throw new Wrong("state", parser.position(0), `a GSTIN for online services from abroad begins with 99, found ${state}`);
    }
  } else if (kind === "tax_deductor" || kind === "tax_collector") {
    if (hasTan) parser.expect(2, "AAAA99999A");
    else expectPan(parser, 2);
    parser.expect(12, "s**");
  } else if (kind === "normal") {
    expectPan(parser, 2);
    parser.expect(12, "s");
    parser.expectOneOf(13, NORMAL_FOURTEENTH, "Z or another mark of a registration type");
    parser.expect(14, "*");
  }
}

function readGstin(text: string): Read<ParsedGstin> {
  const parser = new Parser(text, GSTIN);
  const gstin = parser.text;
  const code = gstin.slice(0, 2);
  parser.expect(0, "99");
  const state = GST_STATES[code];
  if (state === undefined) {
    throw new Wrong("state", parser.position(0), `${code}, the first two characters, is not a GST state code`);
  }
  const kind = taxpayerKind(gstin);
  // The fifth character of the middle part is a letter in a PAN and a digit in a TAN.
  const hasTan = kind === "tax_deductor" && isDigit(at(gstin, 6));
  expectGstin(parser, kind, hasTan);
  const right = gstinCheckDigit(gstin.slice(0, 14));
  if (right !== at(gstin, 14)) {
    const position = parser.position(14);
    const reason = `the check character is wrong: character ${position} must be ${right} to fit the others, found ${at(gstin, 14)}`;
    throw new Wrong("check_digit", position, reason);
  }
  const hasPan = ["normal", "tax_collector", "tax_deductor"].includes(kind) && !hasTan;
  const parsed: ParsedGstin = {
    state_code: code,
    state,
    pan: hasPan ? gstin.slice(2, 12) : null,
    entity_number: KINDS_OF_ABROAD.includes(kind) ? null : at(gstin, 12),
    taxpayer_kind: kind,
  };
  return [gstin, parsed];
}

function nearlyACompany(joined: string): boolean {
  const { length } = joined;
  if ((length === 6 || length === 7) && at(joined, 0) === "F" && all(joined.slice(1), digitLike)) return true;
  const letters = joined.slice(0, 3);
  const digits = joined.slice(3);
  return length === 7 && all(letters, letterLike) && [...letters].some(isLetter) && all(digits, digitLike) && [...digits].some(isDigit);
}

function nearlyAPan(joined: string): boolean {
  const first = joined.slice(0, 3);
  const letters = [...first].filter(isLetter).length;
  return joined.length === 10 && letters >= 2 && all(first, letterLike) && all(joined, isAlphanumeric) && [...joined].some(isDigit);
}

/** The most likely kind of a text, also of one with a typing error; null if it has the form of none. */
export function kindOf(text: string): Kind | null {
  const trimmed = trim(text);
  const plain = compact(trimmed, false);
  const joined = compact(trimmed, true);
  if (["a CIN", "an LLPIN", "an FCRN"].includes(resembles(trimmed) ?? "")) return "cin";
  if (plain.length > 0 && plain.length <= 8 && all(plain, isDigit)) return "din";
  if ((plain.length === LONGEST && isLetter(at(plain, 0))) || nearlyACompany(joined)) return "cin";
  if ((plain.length === 15 || joined.length === 15) && [...joined.slice(0, 2)].some(digitLike)) return "gstin";
  if (nearlyAPan(joined)) return "pan";
  const digits = [...plain].filter(isDigit).length;
  return plain.length === 8 && digits > 4 && all(plain, digitLike) ? "din" : null;
}

function verdict<Parsed>(type: Kind, readText: () => Read<Parsed>): Check<Parsed> {
  try {
    const [canonical, parsed] = readText();
    return { type, valid: true, canonical, reason: null, fault: null, position: null, parsed };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const { fault, position, message: reason } = error;
    return { type, valid: false, canonical: null, reason, fault, position, parsed: null };
  }
}

/** Checks a CIN, LLPIN or FCRN. The year in a CIN is 1850 to the one after `thisYear`, by default India's. */
export function checkCin(text: string, options: { thisYear?: number } = {}): Check<ParsedCin> {
  const thisYear = options.thisYear ?? new Date(Date.now() + INDIA_OFFSET_MS).getUTCFullYear();
  return verdict("cin", () => readCompany(text, thisYear));
}

/** Checks a DIN: 1 to 8 digits. */
export function checkDin(text: string): Check<null> {
  return verdict("din", () => readDin(text));
}

/** Checks a GSTIN with its state code and its check character. */
export function checkGstin(text: string): Check<ParsedGstin> {
  return verdict("gstin", () => readGstin(text));
}

/** Checks a PAN. Its last letter has a rule that is not public, so a well-formed PAN need not exist. */
export function checkPan(text: string): Check<ParsedPan> {
  return verdict("pan", () => readPan(text));
}

/** Checks a text as what it has the form of. */
export function check(text: string, options: { thisYear?: number } = {}): Check {
  switch (kindOf(text)) {
    case "cin":
      return checkCin(text, options);
    case "din":
      return checkDin(text);
    case "gstin":
      return checkGstin(text);
    case "pan":
      return checkPan(text);
    default: {
      const empty = trim(text) === "";
      const reason = empty ? "an identifier is needed here, nothing was given" : "this does not have the form of a CIN, LLPIN, FCRN, DIN, GSTIN or PAN";
      const fault = empty ? "empty" : "unrecognised";
      return { type: null, valid: false, canonical: null, reason, fault, position: null, parsed: null };
    }
  }
}
