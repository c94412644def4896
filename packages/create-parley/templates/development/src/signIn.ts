import { makeDevelopmentSessions } from "@parley/adapters-http"

const developmentSessions = makeDevelopmentSessions()

/**
 * Any visitor on this machine can sign in with any address. Replace this before other machines can reach the server.
 */
export const signIn = { developmentSessions, sessions: developmentSessions.verifier }

/** The dashboard's sign-in page asks for an e-mail address. */
export const signInPage = { kind: "development" } as const
