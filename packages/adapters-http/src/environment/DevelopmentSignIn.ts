import { Context } from "effect"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"

/** Whether people may sign in with an address alone. */
export class DevelopmentSignIn extends Context.Service<
  DevelopmentSignIn,
  {
    /** Undefined where it is off. */
    readonly sessions: DevelopmentSessions | undefined
  }
>()("@parley/adapters-http/environment/DevelopmentSignIn") {}
