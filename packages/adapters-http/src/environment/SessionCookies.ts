import { Context } from "effect"
import type { SessionCookie } from "../sessions/sessionCookie.ts"

/** The cookie of sessions on this server. */
export class SessionCookies extends Context.Service<SessionCookies, SessionCookie>()(
  "@parley/adapters-http/environment/SessionCookies"
) {}
