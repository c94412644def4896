import { sessionVerifierContract } from "@parley/core/testing"
import { SignJWT } from "jose"
import { HmacSessionVerifier } from "../src/index.ts"

sessionVerifierContract("HS256", () => {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  return {
    verifier: HmacSessionVerifier.make({ secret }),
    issue: ({ userId, email, expiresAt = 0 }) =>
      new SignJWT(email === undefined ? {} : { email })
        .setProtectedHeader({ alg: "HS256" })
        .setSubject(userId)
        .setExpirationTime(expiresAt / 1_000)
        .sign(secret)
  }
})
