import type { CrmAccount, CrmTokens } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"
import { isCrmEndpoint } from "./endpoints.ts"
import type { OAuthCrmOptions } from "./OAuthCrmOptions.ts"
import { sendOnce } from "./requests/sendOnce.ts"
import { fieldsOf, type JsonFields, readFields, shortTextIn } from "./requests/tokenAnswer.ts"

/** A token response: its members as they arrived, and the tokens in it. */
export interface TokenAnswer {
  readonly fields: JsonFields
  readonly tokens: CrmTokens
  /** The checked claims of its ID token. */
  readonly identity: object | undefined
}

const accountOfIdentity = (claims: object): CrmAccount => {
  const fields = fieldsOf(claims)
  const name = ["email", "preferred_username", "name"].map((claim) => shortTextIn(fields, claim)).find(Boolean)
  const id = shortTextIn(fields, "sub")
  return { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
}

/**
 * Returns the account of the tokens: by the provider's preset if there is one, otherwise from the ID token. It never
 * fails, because a connection is useful even without the name of its account.
 */
export const accountOf = (
  { accounts, clientId, clientSecret, tokenUrl }: OAuthCrmOptions,
  { fields, identity, tokens }: TokenAnswer,
  lookupMs: number
): Effect.Effect<CrmAccount | undefined> => {
  if (accounts === undefined) return Effect.succeed(identity === undefined ? undefined : accountOfIdentity(identity))
  const told = accounts.inAnswer(fields)
  const request = accounts.request({
    answer: fields,
    accessToken: Redacted.value(tokens.accessToken),
    tokenUrl,
    clientId,
    clientSecret: clientSecret === undefined ? "" : Redacted.value(clientSecret)
  })
  if (request === undefined || !isCrmEndpoint(request.url)) return Effect.succeed(told)
  return Effect.tryPromise(async (signal) => {
    const response = await sendOnce({ sent: false }, request.url, request, signal)
    const looked = response.status === 200 ? accounts.inLookup((await readFields(response)) ?? {}) : undefined
    return looked === undefined ? told : { ...told, ...looked }
  }).pipe(
    Effect.timeoutOrElse({ duration: lookupMs, orElse: () => Effect.succeed(told) }),
    Effect.catch(() => Effect.succeed(told))
  )
}
