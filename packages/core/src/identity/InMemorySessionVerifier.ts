import { Clock, Effect, Layer, Schema } from "effect"
import { isMoment } from "./isMoment.ts"
import { type Session, SessionInvalid, SessionVerifier } from "./SessionVerifier.ts"
import { UserId } from "./UserId.ts"

const isUserId = Schema.is(UserId)

const make = (sessions: ReadonlyMap<string, Session>): SessionVerifier["Service"] =>
  SessionVerifier.of({
    verify: Effect.fnUntraced(function* (token) {
      const session = sessions.get(token)
      if (session === undefined || !isUserId(session.userId) || !isMoment(session.expiresAt)) {
        return yield* new SessionInvalid({ problem: "refused" })
      }
      const { expiresAt, userId } = session
      const now = yield* Clock.currentTimeMillis
      if (expiresAt <= now) return yield* new SessionInvalid({ problem: "expired", userId })
      return session
    })
  })

/**
 * Sessions listed by their tokens: for tests, and for servers that keep sessions themselves. Entries may be added to
 * the list later.
 */
export const InMemorySessionVerifier = {
  make,
  layer: (sessions: ReadonlyMap<string, Session>) => Layer.succeed(SessionVerifier, make(sessions))
}
