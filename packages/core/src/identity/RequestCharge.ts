import { Context } from "effect"

/** The credits that the work of a request has charged so far; undefined for commands and calls of an application. */
export class RequestCharge extends Context.Reference<{ credits: number } | undefined>(
  "@parley/core/identity/RequestCharge",
  { defaultValue: () => undefined }
) {}
