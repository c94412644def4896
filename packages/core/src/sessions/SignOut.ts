import { Context, Effect, Layer, Schema } from "effect"
import { sha256OfText } from "../secrets/sha256.ts"
import { inputsOf } from "../storage/inputs.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { AccessList } from "./AccessList.ts"
import { RevokedSessions } from "./RevokedSessions.ts"

export const SignOutInput = Schema.Struct({
  /** The token that proved the session. */
  token: Schema.String,
  /** Unix milliseconds: the time at which the token expires. */
  expiresAt: Schema.Finite
})
export type SignOutInput = typeof SignOutInput.Type

/** Ends sessions before their tokens expire. */
export class SignOut extends Context.Service<
  SignOut,
  {
    /**
     * Ends a session: this process refuses its token at once, every other process within two seconds. The SHA-256 of
     * the token is stored until the token expires. Signing out again changes nothing.
     */
    signOut(input: SignOutInput): Effect.Effect<void, StorageFailed>
    /**
     * Returns true if a token belongs to a session that was signed out. If the storage does not respond, the last list
     * is used; fails only if this process has never read the list.
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
      const accessList = yield* AccessList
      return SignOut.of({
        signOut: Effect.fnUntraced(function* ({ expiresAt, token }) {
          const session = { digest: yield* sha256OfText(token), expiresAt }
          yield* retryStorage(store.revoke(session))
          yield* accessList.learn({ session })
        }),
        isSignedOut: accessList.isRevoked
      })
    })
  )
}
