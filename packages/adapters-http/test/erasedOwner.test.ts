import { openInMemory, type Parley } from "@parley/core"
import { PublishedBots } from "@parley/core/adapter"
import { runtimeOf, UserService } from "@parley/core/effect"
import { Clock, Effect } from "effect"
import { expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer } from "./support/startServer.ts"

const OWNER = "owner"

test("a visitor whose bot's owner is erased between the bot and the reply gets none, and opens no new account", async () => {
  const stores = await openInMemory()
  let parley: Parley | undefined
  const erase = Effect.promise(async () => {
    const erasing = parley && runtimeOf(parley).runPromise(UserService.use((users) => users.erase(OWNER)))
    await erasing
  })
  /** The time of the erasure is later than that of the visitor's message. */
  const later = Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    while ((yield* Clock.currentTimeMillis) === startedAt) yield* Effect.yieldNow
  })
  let isErased = false
  const publishedBots = PublishedBots.of({
    ...stores.publishedBots,
    findByKey: (key) =>
      Effect.tap(stores.publishedBots.findByKey(key), () => {
        if (isErased) return Effect.void
        isErased = true
        return Effect.andThen(later, erase)
      })
  })
  const server = await startServer({ parley: { ...stores, publishedBots, work: false } })
  parley = server.parley
  await parley.credits.balance(OWNER)
  const [key] = (await parley.bots.create(OWNER, { displayName: "Ada" })).keys
  const sent = server.post("/api/widget/chat", { publicKey: key?.publicKey, visitorId: "v-1", message: "Hi" })
  await expectProblem(await sent, 404, "bot_not_found")
  const { transactions, chats } = await Effect.runPromise(stores.personalData.count(OWNER))
  expect({ transactions, chats }).toEqual({ transactions: 0, chats: 0 })
  await server.close()
})
