// The program that PANJI_BIN names, on a data directory of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Panji, type PanjiOptions } from "../src/index.ts";

const STARTS = 5;
const START_MS = 120_000;

export interface Service {
  program: string;
  baseUrl: string;
  apiKey: string;
  stop: () => Promise<void>;
}

/** Records the pauses between two tries instead of waiting. */
export class RecordingClient extends Panji {
  readonly pauses: number[] = [];

  constructor(service: { baseUrl: string; apiKey: string }, more: PanjiOptions = {}) {
    super({ apiKey: service.apiKey, baseUrl: service.baseUrl, ...more });
  }

  override sleep(milliseconds: number): Promise<void> {
    this.pauses.push(milliseconds);
    return Promise.resolve();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => process.once("exit", () => resolve()));
}

function settings(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PANJI_"));
  // Rates that no test reaches: the refusals are simulated.
  const high = "1000000";
  return {
    ...Object.fromEntries(kept),
    RUST_LOG: "warn",
    PANJI_FREE_QUOTA__CALLS_PER_DAY: "1000",
    PANJI_RATE_LIMIT__PER_SECOND: high,
    PANJI_RATE_LIMIT__BURST: high,
    PANJI_BULK_RATE_LIMIT__PER_SECOND: high,
    PANJI_BULK_RATE_LIMIT__BURST: high,
  };
}

/** Serves until it prints a key; null if it ends before, as it does if another program took the port. */
async function start(program: string, directory: string): Promise<Service | null> {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const banner = openSync(join(directory, "banner"), "w");
  const log = openSync(join(directory, "log"), "w");
  const options = ["--data-dir", join(directory, "data"), "--listen", baseUrl.replace("http://", "")];
  const child = spawn(program, options, { stdio: ["ignore", banner, log], env: settings() });
  closeSync(banner);
  closeSync(log);
  const stop = async (): Promise<void> => {
    child.kill();
    await ended(child);
    rmSync(directory, { recursive: true, force: true });
  };
  for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; ) {
    const [apiKey] = /pk_test_[0-9A-Za-z]+/.exec(readFileSync(join(directory, "banner"), "utf8")) ?? [];
    if (apiKey !== undefined) return { program, baseUrl, apiKey, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop();
  return null;
}

export async function startService(): Promise<Service> {
  const program = process.env["PANJI_BIN"];
  if (!program) throw new Error("PANJI_BIN names no program");
  for (let count = 0; count < STARTS; count += 1) {
    const service = await start(program, mkdtempSync(join(tmpdir(), "panji-sdk-")));
    if (service !== null) return service;
  }
  throw new Error(`${program} does not start`);
}
