import { Clock, Effect, Layer } from "effect"
import { RevokedSessions } from "./RevokedSessions.ts"

const make = Effect.sync(() => {
  const revoked = new Map<string, { readonly expiresAt: number; readonly at: number }>()
  return RevokedSessions.of({
    revoke: ({ digest, expiresAt }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [old, one] of revoked) if (one.expiresAt <= now) revoked.delete(old)
        if (expiresAt > now && !revoked.has(digest)) revoked.set(digest, { expiresAt, at: now })
      }),
    since: (moment = -Infinity) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        sessions: [...revoked]
          .filter(([, { at, expiresAt }]) => at >= moment && expiresAt > now)
          .map(([digest, { expiresAt }]) => ({ digest, expiresAt })),
        asOf: now
      }))
  })
})

/** Sessions that were signed out, in the memory of one process. */
export const InMemoryRevokedSessions = { layer: Layer.effect(RevokedSessions, make) }
