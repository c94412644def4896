import { Effect } from "effect"
import { createLocalJWKSet } from "jose/jwks/local"
import type { JSONWebKeySet, JWK, JWTVerifyGetKey } from "jose"
import { fetchJson } from "./fetchJson.ts"
import { KeySetUnavailable } from "./KeySetUnavailable.ts"
import { isIssuerAddress, isProviderAddress } from "./sessionSettings.ts"

/** The source of an identity provider's keys. */
export interface KeySource {
  /** The address of its key set (RFC 7517): https, or http on this machine. Default: found by discovery. */
  readonly jwksUrl?: string | undefined
  /** The provider's exact issuer. Without `jwksUrl` discovery begins below this address. */
  readonly issuer?: string | undefined
}

/** The keys that an identity provider publishes. */
export interface ProviderKeys {
  readonly keyOf: JWTVerifyGetKey
  /** By which algorithms they verify, each once. */
  readonly algorithms: ReadonlyArray<string>
  /** The same for the same keys. */
  readonly text: string
}

/** For the description and the keys together. */
const PATIENCE = "5 seconds"
/** The names of each key's one algorithm; the last one is the newer name (RFC 9864). */
const CURVES: Readonly<Record<string, ReadonlyArray<string>>> = { "P-256": ["ES256"], Ed25519: ["EdDSA", "Ed25519"] }

const namesOf = ({ crv = "", kty }: JWK): ReadonlyArray<string> =>
  kty === "RSA" ? ["RS256"] : Object.hasOwn(CURVES, crv) ? (CURVES[crv] ?? []) : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** True for a public key with an accepted algorithm. A key with its private part is not secret, so it is refused. */
const isUsable = (key: unknown): key is JWK => {
  if (!isObject(key) || "d" in key || (key["use"] !== undefined && key["use"] !== "sig")) return false
  const names = namesOf(key as JWK)
  return names.length > 0 && (key["alg"] === undefined || names.some((name) => name === key["alg"]))
}

const keysFrom = (found: unknown): Effect.Effect<ProviderKeys, KeySetUnavailable> => {
  const all = isObject(found) && Array.isArray(found["keys"]) ? found["keys"] : []
  const keys = all.filter(isUsable)
  if (keys.length === 0) return Effect.fail(new KeySetUnavailable({ problem: "no-key" }))
  // A key has one algorithm; without `alg` it verifies tokens that use the other name of it.
  const set: JSONWebKeySet = { keys: keys.map(({ alg: _alg, ...key }) => key as JWK) }
  const algorithms = [...new Set(keys.flatMap((key) => namesOf(key).slice(0, 1)))]
  return Effect.succeed({ keyOf: createLocalJWKSet(set), algorithms, text: JSON.stringify(keys) })
}

/** The address of an issuer's keys, from its discovery document (OpenID Connect Discovery 1.0, 4). */
const discover = Effect.fnUntraced(function* (issuer: string) {
  const found = yield* fetchJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)
  const description = isObject(found) ? found : {}
  if (description["issuer"] !== issuer) return yield* new KeySetUnavailable({ problem: "other-issuer" })
  const address = description["jwks_uri"]
  // A document read over https must not lead to plain http.
  const isSafe = typeof address === "string" && isProviderAddress(address)
  if (!isSafe || (issuer.startsWith("https:") && !address.startsWith("https:"))) {
    return yield* new KeySetUnavailable({ problem: "no-address" })
  }
  return address
})

/** Throws if a source is invalid, or if an attacker in the network could read or change it. */
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

/** Fetches a provider's keys, each time it runs. Throws if the source is invalid. */
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
