import { createHash, timingSafeEqual } from "node:crypto"
import { Clock, Effect } from "effect"
import { ApiKeyInvalid, ApiKeyRateLimited } from "../problems/errors.ts"

/** The rights of a key. `credits:reserve` includes renewing holds. */
export const API_SCOPES = ["credits:reserve", "credits:settle", "credits:release"] as const
export type ApiScope = (typeof API_SCOPES)[number]

/** A key with which a service of the operator's own calls for its people. */
export interface ApiKey {
  /** Names it in histories (`key:<id>`): 1 to 40 letters, digits, dots, dashes, `_` or `~`. */
  readonly id: string
  /**
   * The SHA-256 of its secret in hexadecimal, or of several while it is changed. A secret is random and of 32 bytes or more;
   * it is nowhere but with its service.
   */
  readonly sha256: string | ReadonlyArray<string>
  readonly scopes: ReadonlyArray<ApiScope>
  /** The most credits that all keys together may charge to one account on one UTC day; default unlimited. */
  readonly dailyCap?: number | undefined
  /** Requests per minute at this process; default 6,000. */
  readonly perMinute?: number | undefined
}

/** The keys that count here. */
export interface ApiKeys {
  /** The key that an Authorization header proves. */
  readonly prove: (header: string | undefined) => Effect.Effect<ApiKey, ApiKeyInvalid>
  /** Counts a request of a key; fails if there were too many. */
  readonly count: (key: ApiKey) => Effect.Effect<void, ApiKeyRateLimited>
}

const ID = /^[A-Za-z0-9._~-]{1,40}$/
const DIGEST = /^[0-9a-f]{64}$/i
const WINDOW_MS = 60_000
const PER_MINUTE = 6_000

const digestsOf = ({ sha256 }: ApiKey): ReadonlyArray<string> => [sha256].flat()

/** The problems of configured keys, without their digests. */
export const problemsOfApiKeys = (keys: ReadonlyArray<ApiKey>): ReadonlyArray<string> => {
  const digests = keys.flatMap(digestsOf).map((digest) => digest.toLowerCase())
  return [
    ...keys.flatMap(({ dailyCap, id, perMinute, scopes, ...key }) => {
      if (!ID.test(id)) return ["the id of a key has 1 to 40 letters, digits, dots, dashes, _ or ~"]
      const sums = digestsOf({ id, scopes, ...key })
      const isCount = (value: number | undefined) => value === undefined || (Number.isSafeInteger(value) && value > 0)
      return [
        ...(sums.length > 0 && sums.every((sum) => DIGEST.test(sum))
          ? []
          : [`the key ${id} wants the SHA-256 of its secret: 64 hexadecimal digits`]),
        ...(scopes.length > 0 && scopes.every((scope) => API_SCOPES.includes(scope))
          ? []
          : [`the key ${id} wants scopes out of ${API_SCOPES.join(", ")}`]),
        ...(isCount(dailyCap) && isCount(perMinute) ? [] : [`the bounds of the key ${id} are whole numbers from 1`])
      ]
    }),
    ...(new Set(keys.map(({ id }) => id)).size === keys.length ? [] : ["two keys have the same id"]),
    ...(new Set(digests).size === digests.length ? [] : ["two keys have the same secret"])
  ]
}

interface Known {
  readonly key: ApiKey
  readonly digest: Buffer
}

/**
 * Takes the configured keys; throws if one is invalid. The digest of a secret is compared with every key, in constant
 * time, so that a client can measure neither a partial match nor a similar key.
 */
export const apiKeysFrom = (keys: ReadonlyArray<ApiKey> = []): ApiKeys => {
  const problems = problemsOfApiKeys(keys)
  if (problems.length > 0) throw new TypeError(`The API keys cannot be used: ${problems.join("; ")}.`)
  const known: ReadonlyArray<Known> = keys.flatMap((key) =>
    digestsOf(key).map((digest) => ({ key, digest: Buffer.from(digest, "hex") }))
  )
  const windows = new Map<string, { since: number; count: number }>()
  return {
    prove: (header) =>
      Effect.suspend(() => {
        const secret = /^Bearer +([^ ]+) *$/i.exec(header ?? "")?.[1] ?? ""
        const sent = createHash("sha256").update(secret).digest()
        let found: ApiKey | undefined
        for (const { digest, key } of known) if (timingSafeEqual(digest, sent)) found = key
        return found === undefined || secret === "" ? Effect.fail(new ApiKeyInvalid()) : Effect.succeed(found)
      }),
    count: ({ id, perMinute = PER_MINUTE }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const running = windows.get(id)
        const isOver = running === undefined || Math.abs(now - running.since) >= WINDOW_MS
        const window = isOver ? { since: now, count: 0 } : running
        windows.set(id, window)
        if (window.count >= perMinute) {
          return Effect.fail(new ApiKeyRateLimited({ perMinute, retryAfterMs: window.since + WINDOW_MS - now }))
        }
        window.count++
        return Effect.void
      })
  }
}
