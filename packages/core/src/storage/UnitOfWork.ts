import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { CallersTransaction, TransactionConflict, TransactionNotJoined } from "./CallersTransaction.ts"
import type { StorageFailed } from "./StorageFailed.ts"

/**
 * Makes several port calls one transaction: all store calls within `run` commit together or not at all. Nested runs
 * join the outer one. The ports must come from the same adapter, and all data must belong to one person, `owner`,
 * because a store may keep different people in different databases.
 */
export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    run<A, E, R>(owner: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageFailed, R>
    /**
     * Makes the credit operations of `work`, all on the account of `owner`, part of a caller's transaction: they are
     * committed, or rolled back, with it. If `work` fails, its changes are undone and the transaction can continue.
     * Afterwards the caller's connection has the same role and settings as before. Fails with `TransactionConflict`
     * after a serialization failure or a deadlock: then only a new transaction can succeed.
     */
    join<A, E, R>(
      owner: UserId,
      transaction: CallersTransaction,
      work: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | StorageFailed | TransactionConflict | TransactionNotJoined, R>
  }
>()("@parley/core/storage/UnitOfWork") {}
