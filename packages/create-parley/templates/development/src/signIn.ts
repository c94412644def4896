import { makeDevelopmentSessions } from "@parley/adapters-http"

const developmentSessions = makeDevelopmentSessions()

/** Any visitor of this machine signs in with any address. Replace this before others can reach the server. */
export const signIn = { developmentSessions, sessions: developmentSessions.verifier }

/** The dashboard asks for an address. */
export const signInPage = { kind: "development" } as const
