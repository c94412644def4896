import { Effect } from "effect"
import { type ApiKey, ApiKeys, type ApiScope } from "../environment/ApiKeys.ts"
import { PersonRequests } from "../environment/PersonRequests.ts"
import { ScopeMissing } from "../problems/errors.ts"
import { type Access, defineAccess } from "./Access.ts"

/** A service of the operator, by a key with this scope. Without configured keys its routes do not exist. */
export const keyAccess = (scope: ApiScope): Access<ApiKey> =>
  defineAccess<ApiKey, unknown, "api_key_invalid" | "api_key_rate_limited" | "scope_missing" | "too_many_requests">({
    name: "key",
    scheme: () => ({ type: "http", scheme: "bearer" }),
    isOffered: ({ apiKeys = [] }) => apiKeys.length > 0,
    errors: () => ["api_key_invalid", "api_key_rate_limited", "scope_missing", "too_many_requests"],
    claimOf: Effect.fnUntraced(function* ({ headers }) {
      const keys = yield* ApiKeys
      const { enter } = yield* PersonRequests
      const key = yield* keys.prove(headers.authorization)
      const allowed = key.scopes.includes(scope) ? Effect.void : Effect.fail(new ScopeMissing({ scope }))
      return {
        userId: undefined,
        // No person is called so: their names have no NUL.
        admit: Effect.andThen(allowed, Effect.andThen(keys.count(key), enter(`\0key ${key.id}`))),
        callerOf: () => Effect.succeed(key)
      }
    })
  })
