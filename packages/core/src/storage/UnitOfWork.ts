import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { CallersTransaction, TransactionConflict, TransactionNotJoined } from "./CallersTransaction.ts"
import type { StorageFailed } from "./StorageFailed.ts"

/**
 * Makes several port calls one transaction: every store call inside `run` commits with the others or not at all.
 * Nested runs join the outer one. The ports taking part must come from the same adapter, and what they touch must belong to
 * one person, `owner`: a store may keep different people in different places.
 */
export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    run<A, E, R>(owner: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageFailed, R>
    /**
     * Makes the credit operations of `work` part of a transaction of the caller's: they are committed, or rolled back,
     * with it. Where `work` fails, what it did is undone and the transaction can go on. Whatever role and settings the
     * caller's connection had, it has again. Fails with `TransactionConflict` on a serialization failure or a deadlock: then
     * only a new transaction can succeed.
     */
    join<A, E, R>(
      transaction: CallersTransaction,
      work: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | StorageFailed | TransactionConflict | TransactionNotJoined, R>
  }
>()("@parley/core/storage/UnitOfWork") {}
