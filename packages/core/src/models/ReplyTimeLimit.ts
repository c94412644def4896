import { Context } from "effect"

/**
 * The time limit of a reply from the first request to its end, in milliseconds; ten minutes unless configured. Retries
 * and fallback models share it.
 */
export class ReplyTimeLimit extends Context.Reference<number>("@parley/core/chat/ReplyTimeLimit", {
  defaultValue: () => 600_000
}) {}
