import { Effect } from "effect"
import type { Challenge } from "./VisitorChallenge.ts"

/** A challenge for tests: a token that `solve` returns is accepted once. */
export const makeInMemoryVisitorChallenge = (): Challenge & { readonly solve: () => string } => {
  const solved = new Set<string>()
  let last = 0
  return {
    shown: { kind: "turnstile", siteKey: "in-memory" },
    origin: "https://challenges.example",
    solve: () => {
      const token = `solved-${(last += 1)}`
      solved.add(token)
      return token
    },
    verify: ({ token }) => Effect.sync(() => solved.delete(token))
  }
}
