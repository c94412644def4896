import { createParley, openInMemory, type StoragePorts } from "@parley/core"
import {
  inMemoryStorageLayer,
  openStorageLayer,
  storageLayer,
  type StorageLayers,
  storagePortsFromContext
} from "@parley/core/effect"
import { CreditLedger, ChatStore, UnitOfWork } from "@parley/core/adapter"
import { InMemoryChatStore } from "../src/chat/store/InMemoryChatStore.ts"
import { newTurn, newUserId } from "@parley/core/testing"
import { Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"

/** These functions are never run: they contain code that the compiler refuses. */
export const refused = (ports: StoragePorts, layers: StorageLayers, parley: Parameters<typeof createParley>[0]) => {
  const { ledger: _port, ...withoutLedger } = ports
  const { ledger: _layer, ...withoutLedgerLayer } = layers
  const { parser, models } = parley
  return {
    // @ts-expect-error: a store is missing
    parley: createParley({ ...withoutLedger, parser, models }),
    // @ts-expect-error: the layer of a port is missing
    incomplete: storageLayer(withoutLedgerLayer),
    // @ts-expect-error: the layer of another port
    exchanged: storageLayer({ ...layers, ledger: InMemoryChatStore.layer })
  }
}

describe("The list of storage ports", () => {
  it("gives the stores of a layer by name, and takes them back as the same ones", async () => {
    const stores = await openInMemory()
    const again = await Effect.runPromise(Effect.provide(storagePortsFromContext, openStorageLayer(stores)))
    expect(Object.keys(again)).toEqual(Object.keys(stores))
    for (const name of Object.keys(stores) as Array<keyof StoragePorts>) expect(again[name]).toBe(stores[name])
    const ledger = await Effect.runPromise(Effect.provide(CreditLedger, openStorageLayer(stores)))
    expect(ledger).toBe(stores.ledger)
  })

  it("opens stores in memory that share one unit of work, and none with those opened another time", async () => {
    const userId = newUserId()
    const failing = Effect.gen(function* () {
      const chats = yield* ChatStore
      const failed = yield* Effect.exit(
        UnitOfWork.use(({ run }) =>
          run(userId, Effect.andThen(chats.beginTurn(newTurn(userId)), Effect.fail("half-way")))
        )
      )
      expect(Exit.isFailure(failed)).toBe(true)
      const undone = yield* chats.list({ userId, limit: 1, offset: 0 })
      yield* chats.beginTurn(newTurn(userId))
      return [undone.total, (yield* chats.list({ userId, limit: 1, offset: 0 })).total]
    })
    expect(await Effect.runPromise(Effect.provide(failing, inMemoryStorageLayer))).toEqual([0, 1])
    const others = Effect.map(ChatStore, (chats) => chats.list({ userId, limit: 1, offset: 0 }))
    const other = await Effect.runPromise(Effect.flatten(Effect.provide(others, Layer.fresh(inMemoryStorageLayer))))
    expect(other.total).toBe(0)
  })
})
