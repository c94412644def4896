import { Context } from "effect"
import type { SessionCookie } from "../sessions/sessionCookie.ts"

/** Which cookie carries sessions here. */
export class SessionCookies extends Context.Service<SessionCookies, SessionCookie>()(
  "@parley/adapters-http/environment/SessionCookies"
) {}
