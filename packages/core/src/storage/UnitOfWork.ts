import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
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
  }
>()("@parley/core/storage/UnitOfWork") {}
