/** A client of Panji: Indian company, director, GST and PAN data. */

export { type CallInfo, type CallOptions, type FreeOptions, type PageOptions, Response as PanjiResponse, VERSION } from "./call.ts";
export { Panji, Panji as default, type PanjiOptions } from "./client.ts";
export * from "./codes.ts";
export * from "./errors.ts";
export * as ids from "./ids.ts";
export type * as types from "./types.ts";
export type { StreamParams } from "./stream.ts";
export * as webhooks from "./webhooks.ts";
