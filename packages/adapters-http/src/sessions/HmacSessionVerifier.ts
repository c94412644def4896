import { SessionVerifier } from "@parley/core/adapter"
import { Clock, Effect, Layer } from "effect"
import { type ExpectedClaims, judgeToken, refusalOf } from "./sessionTokens.ts"
import { makeVerifiedTokens } from "./sessionTokens.ts"

export interface HmacSessionVerifierOptions extends ExpectedClaims {
  /** Shared with the identity provider; a text counts as its UTF-8 bytes. RFC 7518 wants 32 bytes or more. */
  readonly secret: string | Uint8Array
}

/** The one accepted algorithm, independent of a token's header. */
const ALGORITHMS = ["HS256"]
const HMAC = { name: "HMAC", hash: "SHA-256" }

/** Takes the options; returns a verifier of JWTs signed with HS256. Throws if the secret is empty. */
const make = (options: HmacSessionVerifierOptions): SessionVerifier["Service"] => {
  const secret = typeof options.secret === "string" ? new TextEncoder().encode(options.secret) : options.secret
  if (secret.byteLength === 0) throw new TypeError("The session secret is empty.")
  const { audience, issuer } = options
  // Imported once: with the raw bytes, every verification would import them again.
  const importing = crypto.subtle.importKey("raw", Uint8Array.from(secret), HMAC, false, ["verify"])
  const by = { keyOf: () => importing, algorithms: ALGORITHMS, audience, issuer }
  const verified = makeVerifiedTokens()
  const verify = Effect.fn("HmacSessionVerifier.verify")(function* (token: string, now: number) {
    const session = yield* Effect.tryPromise({
      try: () => judgeToken(token, now, by),
      catch: refusalOf
    })
    verified.add(token, { session, at: now })
    return session
  })
  return SessionVerifier.of({
    verify: Effect.fnUntraced(function* (token) {
      const now = yield* Clock.currentTimeMillis
      return verified.find(token, now) ?? (yield* verify(token, now))
    })
  })
}

/** Session tokens signed with a shared secret. */
export const HmacSessionVerifier = {
  make,
  layer: (options: HmacSessionVerifierOptions) => Layer.sync(SessionVerifier, () => make(options))
}
