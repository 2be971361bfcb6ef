// The offline checks: the cases that the program's own tests read, and the program itself.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { ids } from "../src/index.ts";

interface Case {
  as: ids.Kind | null;
  text: string;
  type: ids.Kind | null;
  canonical?: string;
  parsed?: unknown;
  fault?: string;
  position?: number | null;
  reason?: string;
}

/** The file is above the folder of the sources, and farther above that of the compiled tests. */
function shared(): { this_year: number; cases: Case[] } {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "crates/ids/tests/shared.json"))) {
    if (folder === dirname(folder)) throw new Error("shared.json is not there");
    folder = dirname(folder);
  }
  return JSON.parse(readFileSync(join(folder, "crates/ids/tests/shared.json"), "utf8")) as { this_year: number; cases: Case[] };
}

const { this_year: thisYear, cases } = shared();
const MUTATIONS = 2000;
// What people and scanners put into a number.
const STRANGE = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabgosilz -.*'_é\u200b\u0915\u096b\u2013\u0001\u007fß\u{1f600}"];

function check(as: ids.Kind | null, text: string, options: { thisYear?: number } = {}): ids.Check {
  if (as === "cin") return ids.checkCin(text, options);
  if (as === "din") return ids.checkDin(text);
  if (as === "gstin") return ids.checkGstin(text);
  return as === "pan" ? ids.checkPan(text) : ids.check(text, options);
}

test("the shared cases have their verdicts", () => {
  assert.ok(cases.length > 100);
  for (const { as, text, ...expected } of cases) {
    const valid = expected.canonical !== undefined;
    const nothing = { canonical: null, parsed: null, fault: null, position: null, reason: null };
    assert.deepEqual(check(as, text, { thisYear }), { ...nothing, valid, ...expected }, JSON.stringify(text));
  }
});

/** Random numbers that are the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function mutations(): string[] {
  const below = chance(2026);
  const texts: string[] = [];
  while (texts.length < MUTATIONS) {
    const text = [...(cases[below(cases.length)]?.text ?? "")];
    for (let count = below(4); count > 0; count -= 1) {
      const strange = STRANGE[below(STRANGE.length)] ?? "";
      const position = below(text.length + 1);
      const what = below(10);
      if (what < 3) text.splice(position, 0, strange);
      else text.splice(position, 1, ...(what < 8 ? [strange] : []));
    }
    const joined = text.join("");
    // The program reads one text a line, and leaves blank lines out.
    if (!/[\0\n\r]/.test(joined) && joined.replace(/\u0085/g, "").trim() !== "") texts.push(joined);
  }
  return texts;
}

test("the program says the same of texts with mistakes", () => {
  const program = process.env["PANJI_BIN"];
  assert.ok(program, "PANJI_BIN names no program");
  const texts = mutations();
  for (const kind of ["cin", "din", "gstin", "pan", null] as const) {
    const command = ["check", "--json", ...(kind === null ? [] : ["--type", kind]), "-"];
    const done = spawnSync(program, command, { input: texts.join("\n"), maxBuffer: 2 ** 26 });
    const results: string[] = done.stdout.toString("utf8").split("\n").filter((line) => line !== "");
    assert.equal(results.length, texts.length);
    texts.forEach((text, index) => {
      const result = JSON.parse(results[index] ?? "") as { type: string; valid: boolean; canonical: string; reason: string };
      // The program recognizes LEIs too.
      if (result.type === "lei") return;
      const { type, valid, canonical, reason } = check(kind, text);
      const expected = { type: result.type, valid: result.valid, canonical: result.canonical, reason: result.reason };
      assert.deepEqual({ type, valid, canonical, reason }, expected, JSON.stringify(text));
    });
  }
});

test("the check character of a GSTIN", () => {
  assert.equal(ids.gstinCheckDigit("27AAPFU0939F1Z"), "V");
  assert.equal(ids.gstinCheckDigit("33aadcb2230m1z"), "0");
  assert.equal(ids.gstinCheckDigit("27AAPFU0939F1"), null);
});
