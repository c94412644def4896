import { sessionVerifierContract } from "@parley/core/testing"
import { SignJWT } from "jose"
import { HmacSessionVerifier } from "../src/index.ts"

sessionVerifierContract("HS256", () => {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const tokenOf = (userId: string, claims: Record<string, unknown> = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setSubject(userId)
  return {
    verifier: HmacSessionVerifier.make({ secret, maxAgeSeconds: Number.MAX_SAFE_INTEGER }),
    issue: ({ userId, email, expiresAt }) =>
      tokenOf(userId, email === undefined ? {} : { email })
        .setExpirationTime(expiresAt / 1_000)
        .sign(secret),
    issueEndless: (userId) => tokenOf(userId).sign(secret)
  }
})
