/** Public keys of bots over two cells: one look-up, and a process that ends at any statement. */
import { BotStore, PublishedBots, UnitOfWork } from "@parley/core/adapter"
import { newBot } from "@parley/core/testing"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { FAULTS, type Fault } from "../faults/FaultyWire.ts"
import { openPaymentCells, type PaymentCells, run, storyIn } from "./paymentCells.ts"
import { CellDatabases } from "./routedStores.ts"

const newKey = () => newBot("any").keys[0]!

describe.runIf(hasPostgres)("public keys of bots over two cells", () => {
  let cells: PaymentCells
  beforeAll(async () => {
    cells = await openPaymentCells()
  })
  afterAll(() => cells.close())

  const lookUps = () => cells.wire.requests.filter((text) => /bot_keys|bot_owners/.test(text))

  const find = (key: string) => PublishedBots.use((bots) => bots.findByKey(key))

  it("cost one look-up beside the bot's own, and none once they were found", async () => {
    for (const cell of [0, 1]) {
      const bot = newBot(storyIn(cell).userId)
      await run(
        cells.other,
        BotStore.use((bots) => bots.insert(bot, 9))
      )
      const key = bot.keys[0]!.publicKey
      for (const statements of [2, 1]) {
        cells.wire.start()
        expect(await run(cells.tried, find(key))).toMatchObject({ id: bot.id, owner: bot.owner })
        expect(lookUps()).toHaveLength(statements)
      }
      cells.wire.start()
      expect(await run(cells.tried, find(newKey().publicKey))).toBeUndefined()
      expect(lookUps()).toHaveLength(1)
    }
  })

  it("name their bot as long as its cell has them, also if any statement of a change fails", async () => {
    for (const cell of [0, 1]) {
      for (let request = 0; ; request += 1) {
        const owner = storyIn(cell).userId
        const bot = newBot(owner, { keys: [newKey(), newKey()] })
        const [added, name] = [newKey(), { owner, botId: bot.id }]
        const remove = UnitOfWork.use((unit) =>
          unit.run(
            owner,
            BotStore.use((bots) => bots.remove(name))
          )
        )
        const changes = [
          BotStore.use((bots) => bots.insert(bot, 9)),
          BotStore.use((bots) => bots.addKey(name, added, 9)),
          BotStore.use((bots) => bots.retireKey(name, bot.keys[0]!.publicKey)),
          ...(request % 3 === 0 ? [remove] : [])
        ]
        cells.wire.start(new Map<number, Fault>([[request, FAULTS[request % FAULTS.length]!]]))
        for (const change of changes)
          await run(cells.tried, Effect.result<unknown, unknown, BotStore | UnitOfWork>(change))
        await cells.wire.settled()
        const { length } = cells.wire.requests
        cells.wire.start()
        const kept = await run(
          cells.other,
          BotStore.use((bots) => bots.find(name))
        )
        const own = new Set(kept?.keys.map(({ publicKey }) => publicKey))
        for (const { publicKey } of [...bot.keys, added])
          for (const server of [cells.tried, cells.other])
            expect((await run(server, find(publicKey)))?.id, `${request}`).toBe(own.has(publicKey) ? bot.id : undefined)
        if (request >= length) break
      }
    }
  })

  it("leave the directory with their bot, and none is added for a bot that is refused", async () => {
    for (const cell of [0, 1]) {
      const owner = storyIn(cell).userId
      const [bot, refused] = [newBot(owner), newBot(owner)]
      await run(
        cells.other,
        BotStore.use((bots) => bots.insert(bot, 1))
      )
      expect(
        await run(
          cells.other,
          BotStore.use((bots) => bots.insert(refused, 1))
        )
      ).toBe(false)
      const full = BotStore.use((bots) => bots.addKey({ owner, botId: bot.id }, newKey(), 1))
      expect(await run(cells.other, full)).toBe("Full")
      const listed = run(
        cells.other,
        CellDatabases.use(({ databases: [global] }) =>
          Effect.map(
            global!.statement(`SELECT key FROM ${global!.schema}.bot_owners WHERE owner = $1`, [owner]),
            (rows) => rows.map(({ key }) => key)
          )
        )
      )
      expect(await listed).toEqual([bot.keys[0]!.publicKey])
      expect(
        Result.isResult(
          await run(cells.other, Effect.result(BotStore.use((bots) => bots.remove({ owner, botId: bot.id }))))
        )
      ).toBe(true)
      expect(await run(cells.other, find(bot.keys[0]!.publicKey))).toBeUndefined()
      const left = await run(
        cells.other,
        CellDatabases.use(({ databases: [global] }) =>
          global!.statement(`SELECT key FROM ${global!.schema}.bot_owners WHERE owner = $1`, [owner])
        )
      )
      expect(left).toEqual([])
    }
  })
})
