import { Context } from "effect"

/** Where people reach the server. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    /** Undefined where it is not configured. */
    readonly url: URL | undefined
  }
>()("@parley/adapters-http/environment/PublicAddress") {}
