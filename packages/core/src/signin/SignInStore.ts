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
  /** As `mailAddressOf` returns it. */
  readonly email: string
  /** Milliseconds for which the code counts, by the storage's clock. */
  readonly lifetimeMs: number
}

export type RedeemInput = Pick<PendingSignIn, "browser" | "code">

export interface EnterInput {
  /** The proven address. */
  readonly email: string
  /** The user id if the address has none yet. */
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
 * The name under which the block of an erased person stays on the mailbox: the person who signs in with it again would
 * be a new one. Operators lift it by this name.
 */
export const mailboxOf = (email: string): Effect.Effect<UserId> =>
  Effect.map(sha256OfText(email), (digest) => `mailbox:${digest}`)

/** The most codes that may be tried for one sign-in. */
export const MOST_TRIES = 5

/** Stores sign-ins that wait for their codes, and the user id of each address, for all server processes together. */
export class SignInStore extends Context.Service<
  SignInStore,
  {
    /** Begins a sign-in, which replaces an earlier one of the same browser. */
    begin(pending: PendingSignIn): Effect.Effect<void, StorageFailed>
    /**
     * Uses a code up, and returns the address that it proves. Undefined if the code is wrong or expired, was used, or is
     * one of more than `MOST_TRIES`. Of concurrent calls with one code, one returns the address.
     */
    redeem(input: RedeemInput): Effect.Effect<string | undefined, StorageFailed>
    /** Returns the person of a proven address, whom the first call for it creates. */
    enter(input: EnterInput): Effect.Effect<EmailPerson, StorageFailed>
    /** The person with this id; undefined for people who never signed in by e-mail, and after an erasure. */
    find(userId: UserId): Effect.Effect<EmailPerson | undefined, StorageFailed>
    /** Forgets at most `limit` sign-ins that have expired; returns their number. */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/signin/SignInStore") {}
