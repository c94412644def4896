import { Effect } from "effect"
import type { RouteServices } from "../environment/HttpServices.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import type { Coded } from "../problems/problemTable.ts"
import { type Access, defineAccess } from "./Access.ts"

export interface SignedWebhookOptions<R extends RouteServices> {
  /** Its name in the documentation. */
  readonly name: string
  /** The header that carries the signature, in lower case. */
  readonly header: string
  /** Takes the bytes as they were sent and the head; fails where the signature is missing or wrong. */
  readonly verify: (
    bytes: Uint8Array,
    request: RequestHead
  ) => Effect.Effect<void, Coded<"invalid_signature" | "webhook_not_configured">, R>
}

/**
 * A sender that signs what it sends. The signature is over the bytes, so that the route reads its body with `rawBody`,
 * and parses nothing before this has decided.
 */
export const signedWebhook = <R extends RouteServices>({
  header,
  name,
  verify
}: SignedWebhookOptions<R>): Access<undefined, Uint8Array> =>
  defineAccess<undefined, Uint8Array, "invalid_signature" | "webhook_not_configured">({
    name,
    scheme: () => ({ type: "apiKey", in: "header", name: header }),
    errors: () => ["invalid_signature", "webhook_not_configured"],
    claimOf: (request) =>
      Effect.succeed({
        userId: undefined,
        admit: Effect.void,
        callerOf: ({ body }) => Effect.as(verify(body, request), undefined)
      })
  })
