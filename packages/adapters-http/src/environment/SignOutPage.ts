import { Context } from "effect"

/** The address to which people are led after signing out. */
export class SignOutPage extends Context.Service<
  SignOutPage,
  {
    /** Undefined if they stay. */
    readonly url: string | undefined
  }
>()("@parley/adapters-http/environment/SignOutPage") {}
