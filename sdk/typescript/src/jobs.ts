// Waiting for a job.

import type { Operation, Response } from "./call.ts";
import { PanjiTimeoutError } from "./errors.ts";
import { Resource } from "./resource.ts";
import type { Job } from "./types.ts";

const GET_JOB: Operation = { method: "GET", path: "/v1/jobs/{id}" };
const RUNNING = "running";
const FIRST_POLL_MS = 500;
const LONGEST_POLL_MS = 10_000;
const WAIT_MS = 3_600_000;

export class WaitForJobs extends Resource {
  /**
   * Fetches a job, with growing pauses, for as long as it runs.
   *
   * The job that is returned is done, cancelled, failed or paused, or it awaits your approval: see its `status`.
   * After `timeoutMs`, an hour if left out, a PanjiTimeoutError is thrown. The job goes on.
   */
  async wait(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<Response<Job>> {
    const { timeoutMs = WAIT_MS, signal } = options;
    const end = Date.now() + timeoutMs;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 1.5)) {
      const job = await this.caller.call<Job>(GET_JOB, { id }, {}, null, { signal });
      if (job.data.status !== RUNNING) return job;
      if (Date.now() + pause > end) throw new PanjiTimeoutError(`${id} still runs after ${timeoutMs} ms; it goes on`);
      await this.caller.sleep(pause, signal);
    }
  }
}
