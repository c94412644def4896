import type { ParleyServices } from "@parley/core/effect"
import { Effect } from "effect"
import type { Request } from "../exchange/Exchange.ts"
import type { Coded } from "../problems/problemTable.ts"
import { type Access, defineAccess } from "./Access.ts"

/** The refusals of a webhook's request. */
const WEBHOOK_ERRORS = [
  "invalid_signature",
  "payments_not_configured",
  "payment_provider_unavailable",
  "payment_provider_refused"
] as const

export interface SignedWebhookOptions<A, R extends ParleyServices> {
  /** Its name in the documentation. */
  readonly name: string
  /** A sentence for the documentation that names the sender. */
  readonly description: string
  /** The header that carries the signature, in lower case. */
  readonly header: string
  /** Takes the raw bytes and the head, and returns their content; fails if the signature is missing or wrong. */
  readonly verify: (bytes: Uint8Array, request: Request) => Effect.Effect<A, Coded<(typeof WEBHOOK_ERRORS)[number]>, R>
}

/**
 * A sender that signs its requests. The signature covers the bytes, so the route reads its body with `rawBody` and
 * parses it only after this check. The handler gets the signed content as its caller.
 */
export const signedWebhook = <A, R extends ParleyServices>({
  description,
  header,
  name,
  verify
}: SignedWebhookOptions<A, R>): Access<A, Uint8Array> =>
  defineAccess<A, Uint8Array, (typeof WEBHOOK_ERRORS)[number]>({
    name,
    description,
    scheme: () => ({
      type: "apiKey",
      in: "header",
      name: header,
      description: "The signature of the raw body by its sender."
    }),
    errors: () => WEBHOOK_ERRORS,
    claimOf: ({ request }) =>
      Effect.succeed({
        userId: undefined,
        admit: Effect.void,
        callerOf: ({ body }) => verify(body, request)
      })
  })
