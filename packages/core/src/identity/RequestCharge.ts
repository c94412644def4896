import { Context } from "effect"

/**
 * The credits that were charged so far for the work of a request; undefined for commands and for calls of an
 * application.
 */
export class RequestCharge extends Context.Reference<{ credits: number } | undefined>(
  "@parley/core/identity/RequestCharge",
  { defaultValue: () => undefined }
) {}
