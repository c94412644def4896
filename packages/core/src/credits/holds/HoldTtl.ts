import { Context } from "effect"

/**
 * How long a hold lives without a renewal, in milliseconds: one minute unless configured. A reply whose process died is
 * charged by a sweeper after this long, so that it must be longer than any pause of a living process.
 */
export class HoldTtl extends Context.Reference<number>("@parley/core/credits/HoldTtl", {
  defaultValue: () => 60_000
}) {}
