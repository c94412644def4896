import { Effect } from "effect"
import type { RouteServices } from "../environment/HttpServices.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import type { Coded } from "../problems/problemTable.ts"
import { type Access, defineAccess } from "./Access.ts"

/** With which a webhook refuses what it is sent, or cannot judge it. */
const WEBHOOK_ERRORS = [
  "invalid_signature",
  "payments_not_configured",
  "payment_provider_unavailable",
  "payment_provider_refused"
] as const

export interface SignedWebhookOptions<A, R extends RouteServices> {
  /** Its name in the documentation. */
  readonly name: string
  /** The header that carries the signature, in lower case. */
  readonly header: string
  /** Takes the bytes as they were sent and the head, and gives what they say; fails where the signature is missing or wrong. */
  readonly verify: (
    bytes: Uint8Array,
    request: RequestHead
  ) => Effect.Effect<A, Coded<(typeof WEBHOOK_ERRORS)[number]>, R>
}

/**
 * A sender that signs what it sends. The signature is over the bytes, so that the route reads its body with `rawBody`,
 * and parses nothing before this has decided. The handler gets what was signed as its caller.
 */
export const signedWebhook = <A, R extends RouteServices>({
  header,
  name,
  verify
}: SignedWebhookOptions<A, R>): Access<A, Uint8Array> =>
  defineAccess<A, Uint8Array, (typeof WEBHOOK_ERRORS)[number]>({
    name,
    scheme: () => ({ type: "apiKey", in: "header", name: header }),
    errors: () => WEBHOOK_ERRORS,
    claimOf: (request) =>
      Effect.succeed({
        userId: undefined,
        admit: Effect.void,
        callerOf: ({ body }) => verify(body, request)
      })
  })
