import { Effect, Layer } from "effect"
import { TransactionNotJoined } from "./CallersTransaction.ts"
import { InMemoryStorage } from "./InMemoryStorage.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** Units of work over the in-memory stores: the changes of a failed unit are undone. */
export const InMemoryUnitOfWork = {
  layer: Layer.effect(
    UnitOfWork,
    Effect.map(InMemoryStorage, (storage) =>
      UnitOfWork.of({
        run: (_owner, work) => storage.run(work),
        join: () => Effect.fail(new TransactionNotJoined({ problem: "not-supported" }))
      })
    )
  ).pipe(Layer.provide(InMemoryStorage.layer))
}
