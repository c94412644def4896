import { Context, Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** A sign-in that waits for its code. */
export interface PendingSignIn {
  /** The SHA-256 of the browser's secret, in hexadecimal. */
  readonly browser: string
  /** The SHA-256 of the code together with the browser's secret, in hexadecimal. */
  readonly code: string
  /** The address, in the form of `mailAddressOf`. */
  readonly email: string
  /** Milliseconds for which the code is valid, by the storage's clock. */
  readonly lifetimeMs: number
}

export type RedeemInput = Pick<PendingSignIn, "browser" | "code">

export interface EnterInput {
  /** The proved address. */
  readonly email: string
  /** The user id that the address gets if it has none yet. */
  readonly newUserId: UserId
}

/** A person who signs in by e-mail. Times are in Unix milliseconds, by the storage's clock. */
export interface EmailPerson {
  readonly userId: UserId
  readonly email: string
  readonly createdAt: number
  readonly signedInAt: number
}

/**
 * The name under which the block of an erased person stays on the mailbox, because a person who signs in with it again
 * would be a new one. Operators lift the block by this name.
 */
export const mailboxOf = (email: string): Effect.Effect<UserId> =>
  Effect.map(sha256OfText(email), (digest) => `mailbox:${digest}`)

/** The maximum number of codes that may be tried for one sign-in. */
export const MOST_TRIES = 5

/**
 * Stores the sign-ins that wait for their codes, and the user id of each address, for all server processes together.
 */
export class SignInStore extends Context.Service<
  SignInStore,
  {
    /** Begins a sign-in; it replaces an earlier one of the same browser. */
    begin(pending: PendingSignIn): Effect.Effect<void, StorageFailed>
    /**
     * Uses up a code, and returns the address that it proves. Returns undefined if the code is wrong, expired or used,
     * or if more than `MOST_TRIES` codes were tried. Of concurrent calls with one code, only one returns the address.
     */
    redeem(input: RedeemInput): Effect.Effect<string | undefined, StorageFailed>
    /** Returns the person of a proved address; the first call for an address creates the person. */
    enter(input: EnterInput): Effect.Effect<EmailPerson, StorageFailed>
    /** Returns the person with this id; undefined for people who never signed in by e-mail, and after an erasure. */
    find(userId: UserId): Effect.Effect<EmailPerson | undefined, StorageFailed>
    /** Deletes at most `limit` sign-ins that have expired; returns their number. */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/signin/SignInStore") {}
