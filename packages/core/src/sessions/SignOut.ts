import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import { failureFields } from "../storage/failureFields.ts"
import { inputsOf } from "../storage/inputs.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import { StorageFailed } from "../storage/StorageFailed.ts"
import { RevokedSessions } from "./RevokedSessions.ts"

/** Time for which a process relies on its last list of sessions that were signed out elsewhere. */
const RELIED_ON_MS = 2_000

/** A storage that does not answer holds no request up for longer. */
const ANSWER_WITHIN = "2 seconds"

export const SignOutInput = Schema.Struct({
  /** The token that proved the session. */
  token: Schema.String,
  /** When it expires, in Unix milliseconds. */
  expiresAt: Schema.Finite
})
export type SignOutInput = typeof SignOutInput.Type

const digestOf = (token: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))),
    (digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )

/** Ends sessions before their tokens expire. */
export class SignOut extends Context.Service<
  SignOut,
  {
    /**
     * Ends a session: this process refuses its token at once, every other one within two seconds. Its SHA-256 is
     * stored until the token expires. Signing out again changes nothing.
     */
    signOut(input: SignOutInput): Effect.Effect<void, StorageFailed>
    /**
     * True if a token belongs to a session that was signed out. Fails only if this process has never read the list; if
     * the storage does not respond, it uses the last list.
     */
    isSignedOut(token: string): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/sessions/SignOut") {
  static readonly inputs = inputsOf<SignOut["Service"]>()({
    signOut: [{ input: SignOutInput }],
    isSignedOut: [{ token: Schema.String }]
  })
  static readonly layer = Layer.effect(
    SignOut,
    Effect.gen(function* () {
      const store = yield* RevokedSessions
      /** When each expires. */
      const known = new Map<string, number>()
      const alone = yield* Semaphore.make(1)
      let asOf: number | undefined
      /** When this process asked last, by its own clock. */
      let askedAt = -Infinity

      const isDue = (now: number) => now - askedAt >= RELIED_ON_MS || now < askedAt

      const ask = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (!isDue(now)) return
        const answer = yield* store.since(asOf).pipe(
          Effect.timeoutOrElse({
            duration: ANSWER_WITHIN,
            orElse: () =>
              Effect.fail(
                new StorageFailed({
                  operation: "RevokedSessions.since",
                  retryable: true,
                  cause: new Error("No answer.")
                })
              )
          })
        )
        for (const [digest, expiresAt] of known) if (expiresAt <= now) known.delete(digest)
        for (const { digest, expiresAt } of answer.sessions) known.set(digest, expiresAt)
        asOf = answer.asOf
        askedAt = now
      }).pipe(
        Effect.catchTag("StorageFailed", (failure) =>
          Effect.gen(function* () {
            if (asOf === undefined) return yield* failure
            askedAt = yield* Clock.currentTimeMillis
            yield* Effect.annotateLogs(
              Effect.logWarning("Which sessions were signed out is not known anew: the storage does not answer."),
              failureFields(failure)
            )
          })
        )
      )
      // Requests that come meanwhile wait for the one answer, and then find it.
      const asked = alone.withPermits(1)(ask)

      return SignOut.of({
        signOut: Effect.fnUntraced(function* ({ expiresAt, token }) {
          const digest = yield* digestOf(token)
          yield* retryStorage(store.revoke({ digest, expiresAt }))
          known.set(digest, expiresAt)
        }),
        isSignedOut: Effect.fnUntraced(function* (token) {
          if (isDue(yield* Clock.currentTimeMillis)) yield* asked
          return known.size > 0 && known.has(yield* digestOf(token))
        })
      })
    })
  )
}
