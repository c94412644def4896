import { SessionVerifier } from "@parley/core/adapter"
import { Layer } from "effect"
import { JWSSignatureVerificationFailed } from "jose/errors"
import type { ExpectedClaims } from "./sessionClaims.ts"
import { judgeToken, verifierBy } from "./sessionTokens.ts"

/** A shared secret; a text is used as UTF-8 bytes. RFC 7518 requires at least 32 bytes. */
export type SessionSecret = string | Uint8Array

export interface HmacSessionVerifierOptions extends ExpectedClaims {
  /**
   * The secret that is shared with the identity provider. With several secrets a token signed with any of them counts,
   * so that a secret can be rotated.
   */
  readonly secret: SessionSecret | ReadonlyArray<SessionSecret>
}

/** The only accepted algorithm. A token whose header names another one is refused. */
const ALGORITHMS = ["HS256"]
const HMAC = { name: "HMAC", hash: "SHA-256" }

const bytesOf = (secret: SessionSecret): Uint8Array<ArrayBuffer> => {
  const bytes = Uint8Array.from(typeof secret === "string" ? new TextEncoder().encode(secret) : secret)
  if (bytes.byteLength === 0) throw new TypeError("The session secret is empty.")
  return bytes
}

const isSeveral = (secret: HmacSessionVerifierOptions["secret"]): secret is ReadonlyArray<SessionSecret> =>
  Array.isArray(secret)

/**
 * Takes the options; returns a verifier of JWTs signed with HS256. Throws if a secret is empty, or if there is none.
 */
const make = ({ secret, ...expected }: HmacSessionVerifierOptions): SessionVerifier["Service"] => {
  const secrets = (isSeveral(secret) ? secret : [secret]).map(bytesOf)
  if (secrets.length === 0) throw new TypeError("The session secret is empty.")
  // The keys are imported once: with raw bytes, every verification would import them again.
  const importing = secrets.map((bytes) => crypto.subtle.importKey("raw", bytes, HMAC, false, ["verify"]))
  const judge = async (token: string, now: number) => {
    let refusal: unknown
    for (const key of importing) {
      try {
        return await judgeToken(token, now, { ...expected, keyOf: () => key, algorithms: ALGORITHMS })
      } catch (error) {
        if (!(error instanceof JWSSignatureVerificationFailed)) throw error
        refusal = error
      }
    }
    throw refusal
  }
  return verifierBy(judge)
}

/** Session tokens signed with a shared secret, or with one of several. */
export const HmacSessionVerifier = {
  make,
  layer: (options: HmacSessionVerifierOptions) => Layer.sync(SessionVerifier, () => make(options))
}
