import { HmacSessionVerifier } from "@parley/adapters-http"

const { PARLEY_SESSION_AUDIENCE: audience, PARLEY_SESSION_ISSUER: issuer, PARLEY_SESSION_SECRET: secret } = process.env
if (!secret) throw new Error("Set PARLEY_SESSION_SECRET in .env.")

/** Accepts tokens that your application signs with the secret, in the cookie `parley_session` or as bearer tokens. */
export const signIn = { sessions: HmacSessionVerifier.make({ secret, issuer, audience }) }

/** The dashboard sends people to your application's page for signing in. */
export const signInPage = { kind: "elsewhere", url: process.env["PARLEY_SIGN_IN_URL"] } as const
