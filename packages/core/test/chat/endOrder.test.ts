import { assert, describe, it } from "@effect/vitest"
import { Catalog, inMemoryStorageLayer, parleyLayer, noCrmLayer, noPayments } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { PaymentGateway } from "@parley/core/adapter"
import { ChatModels, ChatStore, CreditLedger, DocumentParser, type Operation, type Refusal } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { ask, modelsFrom, plainParser, says, scriptedModel } from "./world.ts"

const events: Array<string> = []
const note = (event: string) => Effect.sync(() => void events.push(event))

const ledger = Layer.effect(
  CreditLedger,
  Effect.map(CreditLedger, (real) => ({
    ...real,
    run: <A, E extends Refusal>(operation: Operation<A, E>) =>
      operation.name === "settle"
        ? Effect.andThen(
            note("charging"),
            Effect.tap(real.run(operation), () => note("charged"))
          )
        : real.run(operation)
  }))
)
const chats = Layer.effect(
  ChatStore,
  Effect.map(ChatStore, (real) => ({
    ...real,
    endTurn: (input: Parameters<typeof real.endTurn>[0]) => Effect.tap(real.endTurn(input), () => note("stored"))
  }))
)
const world = parleyLayer.pipe(
  Layer.provide(
    Layer.mergeAll(
      Layer.succeed(PaymentGateway, noPayments),
      noCrmLayer,
      Layer.succeed(Catalog, makeCatalog({})),
      Layer.succeed(ChatModels, modelsFrom(scriptedModel(() => says(["A reply."])))),
      Layer.succeed(DocumentParser, plainParser)
    )
  ),
  Layer.provide(Layer.mergeAll(ledger, chats)),
  Layer.provideMerge(inMemoryStorageLayer)
)

describe("the end of a reply", () => {
  it.effect("is stored before it is charged, so that whatever was charged can be given again", () =>
    Effect.gen(function* () {
      yield* ask("ann", "Question")
      assert.deepStrictEqual(events, ["stored", "charging", "charged"])
    }).pipe(Effect.provide(world))
  )
})
