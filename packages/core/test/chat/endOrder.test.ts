import { assert, describe, it } from "@effect/vitest"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { Catalog, inMemoryStorageLayer, parleyLayer, noCrmLayer, noPayments } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import {
  ChatModels,
  ChatStore,
  CreditLedger,
  DocumentParser,
  type Operation,
  type Refusal,
  paymentProviderLayer
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { ask, modelsFrom, plainParser, says, scriptedModel } from "./world.ts"

/** The stored part of a ledger that stops after its first settlement. */
let stored: ReadonlyArray<unknown> = []
const ledger = Layer.effect(
  CreditLedger,
  Effect.gen(function* () {
    const chats = yield* ChatStore
    const real = yield* testedLedger
    const run = <A, E extends Refusal>(operation: Operation<A, E>) => {
      if (operation.name !== "settle") return real.run(operation)
      return Effect.tap(real.run(operation), () =>
        Effect.gen(function* () {
          const { chats: found } = yield* chats.list({ userId: "ann", limit: 1, offset: 0 })
          const transcript = yield* chats.transcript({ owner: { person: "ann" }, chatId: found[0]?.id ?? "", limit: 9 })
          const charged = yield* Effect.orDie(real.account("ann"))
          stored = [transcript?.messages.at(-1)?.content, transcript?.messages.at(-1)?.state, charged.heldAllowance]
        })
      )
    }
    return CreditLedger.of({ ...real, run })
  })
)
const world = parleyLayer.pipe(
  Layer.provide(
    Layer.mergeAll(
      paymentProviderLayer(noPayments),
      noCrmLayer,
      Layer.succeed(Catalog, makeCatalog({})),
      Layer.succeed(ChatModels, modelsFrom(scriptedModel(() => says(["A reply."])))),
      Layer.succeed(DocumentParser, plainParser)
    )
  ),
  Layer.provide(ledger),
  Layer.provideMerge(inMemoryStorageLayer)
)

describe("the end of a reply", () => {
  it.effect("is stored in the commit that charges it: one operation does both", () =>
    Effect.gen(function* () {
      yield* ask("ann", "Question")
      assert.deepStrictEqual(stored, ["A reply.", "complete", 0])
    }).pipe(Effect.provide(world))
  )
})
