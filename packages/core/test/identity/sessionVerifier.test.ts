import type { Session } from "@parley/core/adapter"
import { InMemorySessionVerifier } from "../../src/identity/InMemorySessionVerifier.ts"
import { sessionVerifierContract } from "@parley/core/testing"

sessionVerifierContract("in memory", () => {
  const sessions = new Map<string, Session>()
  const issue = async (session: Session) => {
    const token = `${crypto.randomUUID()}${crypto.randomUUID()}`
    sessions.set(token, session)
    return token
  }
  return {
    verifier: InMemorySessionVerifier.make(sessions),
    issue,
    issueEndless: (userId) => issue({ userId, email: undefined, expiresAt: Number.POSITIVE_INFINITY })
  }
})
