import { createHash, timingSafeEqual } from "node:crypto"
import type { ServiceKey, ServiceScope } from "@parley/core"
import { ServiceKeys } from "@parley/core/effect"
import { Effect } from "effect"
import type { Request } from "../exchange/Exchange.ts"
import { CronNotConfigured, CronUnauthorized, ScopeMissing } from "../problems/errors.ts"
import { type Access, defineAccess } from "./Access.ts"

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Texts that a script sends if the variable with its secret is unset. They are never a valid secret. */
const BLANK = ["", "undefined", "null"]

/** Returns the digest of the configured secret of schedulers; undefined if none is configured. */
export const cronDigestOf = (secret: string | undefined): Buffer | undefined => {
  const text = secret?.trim() ?? ""
  return BLANK.includes(text.toLowerCase()) ? undefined : digestOf(text)
}

/**
 * Admits a scheduler that sends the secret in its Authorization header (RFC 6750). Digests are compared in constant
 * time, so that neither the length nor the first wrong character can be measured. Without a configured secret no
 * scheduler may call.
 */
export const cronAccess = defineAccess<
  undefined,
  unknown,
  "cron_unauthorized" | "cron_not_configured" | "too_many_failures"
>({
  name: "cron",
  description: "The caller is a schedule that knows the server's secret.",
  scheme: () => ({ type: "http", scheme: "bearer", description: "The secret of schedules, `CRON_SECRET`." }),
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
  "service_key_invalid",
  "scope_missing",
  "storage_unavailable",
  "too_many_failures",
  "too_many_requests"
] as const

/**
 * Returns the token of a request's only `Authorization` header (RFC 6750, 2.1). Returns an empty text if there is no
 * such header, or several: an intermediary may have added one of them.
 */
const onlyBearerOf = (request: Request): string => {
  if (request.headers.authorization === undefined) return ""
  const [sent = "", ...others] = request.valuesOf("authorization")
  return others.length > 0 ? "" : (/^Bearer +([^ ]+) *$/i.exec(sent)?.[1] ?? "")
}

/** Admits a back end of the operator by a service key with this scope. Cookies are not read. */
export const keyAccess = (scope: ServiceScope): Access<ServiceKey> =>
  defineAccess<ServiceKey, unknown, (typeof KEY_ERRORS)[number]>({
    name: "key",
    description: `Callers are back ends with a service key that has the scope \`${scope}\`.`,
    scope,
    scheme: () => ({
      type: "http",
      scheme: "bearer",
      description: "A service key with the named scope, as `parley keys create` prints it."
    }),
    errors: () => KEY_ERRORS,
    claimOf: Effect.fnUntraced(function* ({ request, server: { failedTries, personRequests } }) {
      const proving = ServiceKeys.use((keys) => keys.prove(onlyBearerOf(request)))
      const key = yield* Effect.catchTag(proving, "ServiceKeyInvalid", (refusal) =>
        request.headers.authorization === undefined ? Effect.fail(refusal) : failedTries.refuse("key", request, refusal)
      )
      const allowed = key.scopes.includes(scope) ? Effect.void : Effect.fail(new ScopeMissing({ scope }))
      return {
        userId: undefined,
        // Ids of people contain no NUL, so the count of a key never mixes with the count of a person.
        admit: Effect.andThen(allowed, personRequests.enter(`\0key ${key.id}`)),
        callerOf: () => Effect.succeed(key)
      }
    })
  })
