import { Context } from "effect"

/**
 * When the session was issued for which a call is made, in Unix milliseconds: minus infinity if its token does not say so,
 * infinity if the caller itself vouches for the person.
 */
export class SessionIssuedAt extends Context.Reference<number>("@parley/core/identity/SessionIssuedAt", {
  defaultValue: () => Infinity
}) {}
