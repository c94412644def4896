import { Context } from "effect"

/**
 * The time at which the session of this call was issued, in Unix milliseconds: minus infinity if its token does not
 * contain the time, infinity if the caller itself vouches for the person.
 */
export class SessionIssuedAt extends Context.Reference<number>("@parley/core/identity/SessionIssuedAt", {
  defaultValue: () => Infinity
}) {}
