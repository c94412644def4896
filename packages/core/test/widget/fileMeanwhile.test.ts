import { assert, describe, it } from "@effect/vitest"
import type { BotChange } from "@parley/core"
import {
  ChatRecords,
  DocumentStore,
  makeInMemoryMalwareScanner,
  MalwareScanner,
  PersonalData
} from "@parley/core/adapter"
import { BotService, ConversationService, CreditService, UserService, WidgetService } from "@parley/core/effect"
import { Effect, Layer, Stream } from "effect"
import { says, scriptedModel, world } from "../chat/world.ts"

const OWNER = "owner"

const newBot = Effect.map(
  BotService.use((bots) => bots.create(OWNER, { displayName: "Ada", visitorUploads: true })),
  ({ id, keys }) => ({ id, publicKey: keys[0]?.publicKey ?? "" })
)

const attach = (publicKey: string, conversationId?: string) =>
  WidgetService.use((widget) =>
    widget.attach({
      ...{ publicKey, visitorId: "visitor-1", address: "192.0.2.1", filename: "receipt.txt" },
      bytes: new TextEncoder().encode("Storks."),
      ...(conversationId === undefined ? {} : { conversationId })
    })
  )

/** Work that is done while the next file is scanned. */
let meanwhile: Effect.Effect<unknown> = Effect.void

const scanned = Layer.succeed(MalwareScanner, {
  scan: (bytes: Uint8Array) =>
    Effect.suspend(() => {
      const work = meanwhile
      meanwhile = Effect.void
      return Effect.andThen(work, makeInMemoryMalwareScanner().scan(bytes))
    })
})

const services = Layer.provide(world(scriptedModel(() => says(["Hello"]))), scanned)

/** The failure of attaching a file during whose scan `work` is done. */
const failureDuring = <E, R>(work: Effect.Effect<unknown, E, R>, attaching: ReturnType<typeof attach>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    meanwhile = Effect.orDie(Effect.provide(work, context))
    return (yield* Effect.flip(attaching))._tag
  })

const nothingIsStored = (botId: string) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* DocumentStore.use((documents) => documents.list(OWNER)), [])
    const of = { botOwner: OWNER, bot: botId, after: undefined, limit: 10 }
    assert.deepStrictEqual(yield* ChatRecords.use((records) => records.conversationsById(of)), [])
  })

const change = (botId: string, to: BotChange) => BotService.use((bots) => bots.update(OWNER, botId, to))

describe("a visitor's file is not stored, and begins no conversation", () => {
  it.effect.each([
    ["deleted", "BotNotFound", (id: string) => BotService.use((bots) => bots.remove(OWNER, id))],
    ["switched off", "BotNotFound", (id: string) => change(id, { active: false })],
    ["closed for files", "VisitorUploadsOff", (id: string) => change(id, { visitorUploads: false })]
  ] as const)("if its bot is %s while the file is scanned", ([, failure, work]) =>
    Effect.gen(function* () {
      const { id, publicKey } = yield* newBot
      assert.strictEqual(yield* failureDuring(work(id), attach(publicKey)), failure)
      yield* nothingIsStored(id)
    }).pipe(Effect.provide(services))
  )

  it.live("if its owner is erased while the file is scanned; and no account is opened again", () =>
    Effect.gen(function* () {
      const { id, publicKey } = yield* newBot
      yield* CreditService.use((credits) => credits.balance(OWNER))
      const erased = UserService.use((users) => users.erase(OWNER))
      assert.strictEqual(yield* failureDuring(erased, attach(publicKey)), "BotNotFound")
      yield* nothingIsStored(id)
      const { transactions } = yield* PersonalData.use((data) => data.count(OWNER))
      assert.strictEqual(transactions, 0)
    }).pipe(Effect.provide(services))
  )

  it.effect("if its conversation is deleted while the file is scanned", () =>
    Effect.gen(function* () {
      const { id, publicKey } = yield* newBot
      const { conversationId } = yield* attach(publicKey)
      const removed = ConversationService.use((all) => all.remove(OWNER, id, conversationId))
      assert.strictEqual(yield* failureDuring(removed, attach(publicKey, conversationId)), "ConversationNotFound")
      yield* nothingIsStored(id)
    }).pipe(Effect.provide(services))
  )
})

it.live("a conversation that begins while its bot is deleted is deleted with it", () => {
  let meanwhile: Effect.Effect<unknown> = Effect.void
  const model = scriptedModel(() => Stream.unwrap(Effect.as(meanwhile, says(["Hello"]))))
  return Effect.gen(function* () {
    const { id, publicKey } = yield* newBot
    const context = yield* Effect.context<BotService>()
    const removing = BotService.use((bots) => bots.remove(OWNER, id))
    meanwhile = Effect.orDie(Effect.provide(removing, context))
    const widget = yield* WidgetService
    const call = { publicKey, visitorId: "visitor-1", message: "Hi", address: "192.0.2.1" }
    yield* Effect.scoped(Effect.flatMap(widget.send(call), ({ text }) => Stream.runDrain(text)))
    yield* nothingIsStored(id)
  }).pipe(Effect.provide(world(model)))
})
