import { Context } from "effect"

/** Whether requests come through a proxy that is not trusted to say for whom. */
export class UntrustedProxy extends Context.Service<
  UntrustedProxy,
  {
    readonly isSeen: () => boolean
    /** Takes note of one; the first is logged. */
    readonly see: () => void
  }
>()("@parley/adapters-http/exchange/UntrustedProxy") {}

/** Takes what logs the first one. */
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
