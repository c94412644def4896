import { Context } from "effect"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"

/** The sign-in with an e-mail address only. */
export class DevelopmentSignIn extends Context.Service<
  DevelopmentSignIn,
  {
    /** Undefined if it is off. */
    readonly sessions: DevelopmentSessions | undefined
  }
>()("@parley/adapters-http/environment/DevelopmentSignIn") {}
