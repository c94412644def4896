import { type AuditEntry, AuditLog, UnitOfWork } from "@parley/core/adapter"
import { Effect } from "effect"

/** Does work on one person, and enters it, as one: neither is there without the other. */
export const audited = <A, E, R>(
  { userId, ...entry }: Omit<AuditEntry, "userId"> & { readonly userId: string },
  work: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const unit = yield* UnitOfWork
    const log = yield* AuditLog
    return yield* unit.run(
      userId,
      Effect.tap(work, () => log.record({ ...entry, userId }))
    )
  })
