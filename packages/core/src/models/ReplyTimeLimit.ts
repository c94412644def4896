import { Context } from "effect"

/**
 * Time limit of a reply from the first request to its end, in milliseconds; default ten minutes. Retries and fallback
 * models share it.
 */
export class ReplyTimeLimit extends Context.Reference<number>("@parley/core/chat/ReplyTimeLimit", {
  defaultValue: () => 600_000
}) {}
