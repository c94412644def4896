import { JwksSessionVerifier } from "@parley/adapters-http"

const { PARLEY_SESSION_AUDIENCE: audience, PARLEY_SESSION_ISSUER: issuer } = process.env
if (!issuer || !audience) throw new Error("Set PARLEY_SESSION_ISSUER and PARLEY_SESSION_AUDIENCE in .env.")

/** Accepts the session tokens of your identity provider. The provider's keys are found by OpenID Connect discovery. */
export const signIn = { sessions: JwksSessionVerifier.make({ issuer, audience }) }

/** The dashboard sends people to your provider's page for signing in. */
export const signInPage = { kind: "elsewhere", url: process.env["PARLEY_SIGN_IN_URL"] } as const
