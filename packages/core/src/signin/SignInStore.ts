import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
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

export interface RedeemInput extends Pick<PendingSignIn, "browser" | "code"> {
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

/** The most codes that may be tried for one sign-in. */
export const MOST_TRIES = 5

/** Stores sign-ins that wait for their codes, and the user id of each address, for all server processes together. */
export class SignInStore extends Context.Service<
  SignInStore,
  {
    /** Begins a sign-in, which replaces an earlier one of the same browser. Forgets, in time, those that have expired. */
    begin(pending: PendingSignIn): Effect.Effect<void, StorageFailed>
    /**
     * Uses a code up, and returns its person, whom the first code of an address creates. Undefined if the code is wrong or
     * expired, was used, or is one of more than `MOST_TRIES`. Of concurrent calls with one code, one returns the person.
     */
    redeem(input: RedeemInput): Effect.Effect<EmailPerson | undefined, StorageFailed>
    /** The person with this id; undefined for people who never signed in by e-mail, and after an erasure. */
    find(userId: UserId): Effect.Effect<EmailPerson | undefined, StorageFailed>
  }
>()("@parley/core/signin/SignInStore") {}
