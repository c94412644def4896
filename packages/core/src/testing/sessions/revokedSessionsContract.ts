import { Clock, Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { RevokedSessions } from "../../sessions/RevokedSessions.ts"
import { suiteOn } from "../suiteOn.ts"

const HOUR_MS = 3_600_000

/** Tests the guarantees of a `RevokedSessions`. `layer` is built once, for all tests. */
export const revokedSessionsContract = (name: string, layer: Layer.Layer<RevokedSessions, unknown>): void =>
  suiteOn(`RevokedSessions: ${name}`, layer, (run) => {
    const newDigest = () =>
      Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("")
    const revoke = (digest: string, inMs = HOUR_MS) =>
      Effect.gen(function* () {
        const sessions = yield* RevokedSessions
        const expiresAt = (yield* Clock.currentTimeMillis) + inMs
        yield* sessions.revoke({ digest, expiresAt })
        return { digest, expiresAt }
      })
    const since = (moment?: number) => RevokedSessions.use((sessions) => sessions.since(moment))

    it("returns revoked sessions with their expiry, once even if they were revoked again and at once", () =>
      run(
        Effect.gen(function* () {
          const digest = newDigest()
          const first = yield* revoke(digest)
          yield* Effect.all(
            Array.from({ length: 5 }, () => revoke(digest, 2 * HOUR_MS)),
            { concurrency: "unbounded" }
          )
          const { sessions } = yield* since()
          expect(sessions.filter((one) => one.digest === digest)).toEqual([first])
        })
      ))

    it("reading from the returned time misses no later revocation", () =>
      run(
        Effect.gen(function* () {
          let { asOf } = yield* since()
          for (let round = 0; round < 5; round++) {
            const digests = [newDigest(), newDigest()]
            yield* Effect.all(
              digests.map((digest) => revoke(digest)),
              { concurrency: "unbounded" }
            )
            const answer = yield* since(asOf)
            expect(answer.sessions.map(({ digest }) => digest)).toEqual(expect.arrayContaining(digests))
            expect(answer.asOf).toBeGreaterThanOrEqual(asOf)
            asOf = answer.asOf
          }
        })
      ))

    it("returns no sessions that have expired", () =>
      run(
        Effect.gen(function* () {
          const [expired, lives] = [newDigest(), newDigest()]
          yield* revoke(expired, -HOUR_MS)
          yield* revoke(lives)
          const digests = (yield* since()).sessions.map(({ digest }) => digest)
          expect(digests).toContain(lives)
          expect(digests).not.toContain(expired)
        })
      ))
  })
