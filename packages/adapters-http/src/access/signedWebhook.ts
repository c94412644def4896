import type { ParleyServices } from "@parley/core/effect"
import { Effect } from "effect"
import type { Request } from "../exchange/Exchange.ts"
import type { Coded } from "../problems/problemTable.ts"
import { type Access, defineAccess } from "./Access.ts"

/** The codes with which a webhook's request is refused. */
const WEBHOOK_ERRORS = [
  "invalid_signature",
  "payments_not_configured",
  "payment_provider_unavailable",
  "payment_provider_refused"
] as const

export interface SignedWebhookOptions<A, R extends ParleyServices> {
  /** The name of the access in the documentation. */
  readonly name: string
  /** A sentence for the documentation that names the sender. */
  readonly description: string
  /** The header that carries the signature, in lower case. */
  readonly header: string
  /**
   * Takes the raw bytes and the head of a request, and returns the signed content. Fails if the signature is missing or
   * wrong.
   */
  readonly verify: (bytes: Uint8Array, request: Request) => Effect.Effect<A, Coded<(typeof WEBHOOK_ERRORS)[number]>, R>
}

/**
 * Admits a sender that signs its requests. The signature covers the bytes, so the route reads its body with `rawBody`,
 * and the content is parsed only after the signature is checked. The handler gets that content in the place of a
 * caller.
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
