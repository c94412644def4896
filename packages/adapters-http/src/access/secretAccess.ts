import { createHash, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { CronNotConfigured, CronUnauthorized, ScopeMissing } from "../problems/errors.ts"
import type { ApiKey, ApiScope } from "../server/ApiKeys.ts"
import { type Access, defineAccess } from "./Access.ts"

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Texts that a script sends if its own variable is unset: never a secret. */
const BLANK = ["", "undefined", "null"]

/** Takes the secret of schedules as configured; undefined without one. */
export const cronDigestOf = (secret: string | undefined): Buffer | undefined => {
  const text = secret?.trim() ?? ""
  return BLANK.includes(text.toLowerCase()) ? undefined : digestOf(text)
}

/**
 * A schedule that knows the secret, in its Authorization header (RFC 6750). Digests are compared, in constant time, so
 * that neither the length nor the first wrong character can be measured. Without a secret no schedule may call.
 */
export const cronAccess = defineAccess<
  undefined,
  unknown,
  "cron_unauthorized" | "cron_not_configured" | "too_many_failures"
>({
  name: "cron",
  scheme: () => ({ type: "http", scheme: "bearer" }),
  errors: () => ["cron_unauthorized", "cron_not_configured", "too_many_failures"],
  claimOf: Effect.fnUntraced(function* ({ request, server: { cronDigest, failedTries } }) {
    if (cronDigest === undefined) return yield* new CronNotConfigured()
    const token = /^Bearer +([^ ]+) *$/i.exec(request.headers.authorization ?? "")?.[1]
    if (token === undefined) return yield* new CronUnauthorized()
    if (!timingSafeEqual(digestOf(token), cronDigest))
      return yield* failedTries.refuse("cron", request, new CronUnauthorized())
    return { userId: undefined, admit: Effect.void, callerOf: () => Effect.undefined }
  })
})

const KEY_ERRORS = [
  "api_key_invalid",
  "api_key_rate_limited",
  "scope_missing",
  "too_many_failures",
  "too_many_requests"
] as const

/** A service of the operator, by a key with this scope. Without configured keys its routes do not exist. */
export const keyAccess = (scope: ApiScope): Access<ApiKey> =>
  defineAccess<ApiKey, unknown, (typeof KEY_ERRORS)[number]>({
    name: "key",
    scheme: () => ({ type: "http", scheme: "bearer" }),
    isOffered: ({ apiKeys = [] }) => apiKeys.length > 0,
    errors: () => KEY_ERRORS,
    claimOf: Effect.fnUntraced(function* ({ request, server: { apiKeys, failedTries, personRequests } }) {
      const { authorization } = request.headers
      const key = yield* Effect.catchTag(apiKeys.prove(authorization), "ApiKeyInvalid", (refusal) =>
        authorization === undefined ? Effect.fail(refusal) : failedTries.refuse("key", request, refusal)
      )
      const allowed = key.scopes.includes(scope) ? Effect.void : Effect.fail(new ScopeMissing({ scope }))
      return {
        userId: undefined,
        // No person is called so: their names have no NUL.
        admit: Effect.andThen(allowed, Effect.andThen(apiKeys.count(key), personRequests.enter(`\0key ${key.id}`))),
        callerOf: () => Effect.succeed(key)
      }
    })
  })
