import { InMemorySessionVerifier, type Session } from "@parley/core"
import { sessionVerifierContract } from "@parley/core/testing"

sessionVerifierContract("in memory", () => {
  const sessions = new Map<string, Session>()
  return {
    verifier: InMemorySessionVerifier.make(sessions),
    issue: async (session) => {
      const token = `${crypto.randomUUID()}${crypto.randomUUID()}`
      sessions.set(token, session)
      return token
    }
  }
})
