import { Effect } from "effect"
import { createLocalJWKSet } from "jose/jwks/local"
import type { JSONWebKeySet, JWK, JWTVerifyGetKey } from "jose"
import { fetchJson } from "./fetchJson.ts"
import { KeySetUnavailable } from "./KeySetUnavailable.ts"
import { isIssuerAddress, isProviderAddress } from "./sessionSettings.ts"

/** The place from which an identity provider's keys are fetched. */
export interface KeySource {
  /** The address of the provider's key set (RFC 7517): https, or http on this machine. Default: found by discovery. */
  readonly jwksUrl?: string | undefined
  /** The provider's exact issuer. If `jwksUrl` is missing, the discovery document is read below this address. */
  readonly issuer?: string | undefined
}

/** The keys that an identity provider publishes. */
export interface ProviderKeys {
  readonly keyOf: JWTVerifyGetKey
  /** The algorithms of the keys, each once. */
  readonly algorithms: ReadonlyArray<string>
  /** A text that is equal if and only if the keys are equal. */
  readonly text: string
}

/** Longest time for fetching the discovery document and the keys together. */
const PATIENCE = "5 seconds"
/** The algorithm names of each curve: a key has one algorithm, whose newer name comes last (RFC 9864). */
const CURVES: Readonly<Record<string, ReadonlyArray<string>>> = { "P-256": ["ES256"], Ed25519: ["EdDSA", "Ed25519"] }

const namesOf = ({ crv = "", kty }: JWK): ReadonlyArray<string> =>
  kty === "RSA" ? ["RS256"] : Object.hasOwn(CURVES, crv) ? (CURVES[crv] ?? []) : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * True for a public key with an accepted algorithm. A key that contains its private part is public, proves
 * nothing and is refused.
 */
const isUsable = (key: unknown): key is JWK => {
  if (!isObject(key) || "d" in key || (key["use"] !== undefined && key["use"] !== "sig")) return false
  const names = namesOf(key as JWK)
  return names.length > 0 && (key["alg"] === undefined || names.some((name) => name === key["alg"]))
}

const keysFrom = (found: unknown): Effect.Effect<ProviderKeys, KeySetUnavailable> => {
  const all = isObject(found) && Array.isArray(found["keys"]) ? found["keys"] : []
  const keys = all.filter(isUsable)
  if (keys.length === 0) return Effect.fail(new KeySetUnavailable({ problem: "no-key" }))
  // `alg` is removed, so that a key also verifies tokens that use the other name of its algorithm.
  const set: JSONWebKeySet = { keys: keys.map(({ alg: _alg, ...key }) => key as JWK) }
  const algorithms = [...new Set(keys.flatMap((key) => namesOf(key).slice(0, 1)))]
  return Effect.succeed({ keyOf: createLocalJWKSet(set), algorithms, text: JSON.stringify(keys) })
}

/** The address of the keys of an issuer, from the issuer's discovery document (OpenID Connect Discovery 1.0, 4). */
const discover = Effect.fnUntraced(function* (issuer: string) {
  const found = yield* fetchJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)
  const description = isObject(found) ? found : {}
  if (description["issuer"] !== issuer) return yield* new KeySetUnavailable({ problem: "other-issuer" })
  const address = description["jwks_uri"]
  // A document that was read over https must not name a plain http address.
  const isSafe = typeof address === "string" && isProviderAddress(address)
  if (!isSafe || (issuer.startsWith("https:") && !address.startsWith("https:"))) {
    return yield* new KeySetUnavailable({ problem: "no-address" })
  }
  return address
})

/** Throws if the address or the issuer is invalid, or if an attacker in the network could change the keys. */
export const checkKeySource = ({ issuer, jwksUrl }: KeySource): void => {
  if (jwksUrl !== undefined) {
    if (!isProviderAddress(jwksUrl)) {
      throw new TypeError("jwksUrl: expected an address that begins with https:// (http:// on this machine)")
    }
  } else if (issuer === undefined)
    throw new TypeError("The keys of the identity provider are unknown: set `jwksUrl` or `issuer`.")
  else if (!isIssuerAddress(issuer)) {
    throw new TypeError("issuer: expected an address that begins with https:// (http:// on this machine)")
  }
}

/**
 * Returns an effect that fetches the keys of a provider each time it runs. Throws if the address or the issuer is
 * invalid.
 */
export const fetchProviderKeys = (source: KeySource): Effect.Effect<ProviderKeys, KeySetUnavailable> => {
  checkKeySource(source)
  const { issuer = "", jwksUrl } = source
  const finding = jwksUrl === undefined ? discover(issuer) : Effect.succeed(jwksUrl)
  return finding.pipe(
    Effect.flatMap(fetchJson),
    Effect.timeoutOrElse({
      duration: PATIENCE,
      orElse: () => Effect.fail(new KeySetUnavailable({ problem: "slow" }))
    }),
    Effect.flatMap(keysFrom)
  )
}
