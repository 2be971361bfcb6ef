import type { Body, CallOptions, Operation, PageOptions, Query, Response } from "./call.ts";

export type Path = Readonly<Record<string, string>>;

/** What a group of operations needs of a client. */
export abstract class Caller {
  abstract call<T>(operation: Operation, path: Path, query: Query, body: Body, options: CallOptions): Promise<Response<T>>;

  abstract iterate<T>(operation: Operation, path: Path, query: Query, options: PageOptions): AsyncGenerator<T, void, undefined>;

  abstract download(operation: Operation, path: Path, query: Query, accept: string | null, options: CallOptions): Promise<Uint8Array>;

  abstract receive(
    operation: Operation,
    query: Query,
    headers: Readonly<Record<string, string>>,
    silenceMs: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined>;

  abstract sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** A group of operations. */
export class Resource {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }
}
