import { Context } from "effect"

/** Where people are led once they have signed out. */
export class SignOutPage extends Context.Service<
  SignOutPage,
  {
    /** Undefined where they stay. */
    readonly url: string | undefined
  }
>()("@parley/adapters-http/environment/SignOutPage") {}
