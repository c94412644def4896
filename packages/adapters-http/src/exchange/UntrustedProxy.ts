import { Context } from "effect"

/** Detects requests through a proxy whose forwarding headers are not trusted. */
export class UntrustedProxy extends Context.Service<
  UntrustedProxy,
  {
    readonly isSeen: () => boolean
    /** Takes note of one; the first is logged. */
    readonly see: () => void
  }
>()("@parley/adapters-http/exchange/UntrustedProxy") {}

/** Takes a function that logs the first one. */
export const makeUntrustedProxy = (log: () => void): UntrustedProxy["Service"] => {
  let seen = false
  return {
    isSeen: () => seen,
    see: () => {
      if (!seen) log()
      seen = true
    }
  }
}
