import type { Parley, UserId } from "@parley/core"
import { ChatModels, type ReplyPart } from "@parley/core/adapter"
import { RetentionSweeper, runtimeOf } from "@parley/core/effect"
import { Effect, Stream } from "effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { patiently, tagOf, withProcesses } from "../credits/creditProcesses.ts"
import { hasPostgres } from "../databases.ts"

const DAY_MS = 86_400_000
const ROUNDS = 40
const ANSWER = "It grew."

/** A model that answers once the promise of the test is fulfilled. */
const heldModel = () => {
  const held = { asked: () => {}, answers: Promise.resolve() }
  const parts: ReadonlyArray<ReplyPart> = [
    { _tag: "text-delta", text: ANSWER },
    { _tag: "end", reason: "completed", usage: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1 } }
  ]
  const stream = () =>
    Stream.unwrap(
      Effect.promise(async () => {
        held.asked()
        await held.answers
        return Stream.fromIterable(parts)
      })
    )
  return { held, models: ChatModels.of({ resolve: () => Effect.succeed({ name: "held", stream }) }) }
}

const sweep = (parley: Parley) => runtimeOf(parley).runPromise(RetentionSweeper.use((sweeper) => sweeper.sweep))

const send = async ({ chat }: Parley, user: UserId, chatId?: string) => {
  const messages = [{ role: "user" as const, content: "What does the report say?" }]
  const reply = await chat.send(user, { messages, ...(chatId === undefined ? {} : { chatId }) })
  return { chatId: reply.chatId, text: await reply.text() }
}

/** What a chat has: its messages as stored; undefined if the chat is gone. */
const stored = async ({ chat }: Parley, user: UserId, chatId: string) => {
  try {
    return (await chat.get(user, chatId)).messages.map(({ content, state }) => `${state}: ${content}`)
  } catch (error) {
    expect(tagOf(error)).toBe("ChatNotFound")
    return undefined
  }
}

const turn = ["complete: What does the report say?", `complete: ${ANSWER}`]

const outcomes = { answered: 0, gone: 0 }

describe.runIf(hasPostgres)("retention beside requests, on several servers", () => {
  const { held, models } = heldModel()
  const onServers = (use: (servers: ReadonlyArray<Parley>, query: pg.Client["query"]) => Promise<void>) =>
    withProcesses(4, { models, retention: { chatsMs: DAY_MS } }, async (servers, url) => {
      const client = new pg.Client(url)
      await client.connect()
      try {
        await use(servers, client.query.bind(client) as pg.Client["query"])
      } finally {
        await client.end()
      }
    })
  const age = (query: pg.Client["query"]) => query("UPDATE parley.chats SET updated_at = now() - interval '2 days'")

  it(
    "a chat that is continued while a sweep runs has every message, and its reply is stored",
    { timeout: 60_000 },
    () =>
      onServers(async ([first, second], query) => {
        if (first === undefined || second === undefined) throw new Error("There are four servers.")
        const { chatId } = await send(first, "ann")
        const forgotten = await send(first, "ann")
        await age(query)
        const asked = new Promise<void>((resolve) => (held.asked = resolve))
        const { promise, resolve: answer } = Promise.withResolvers<void>()
        held.answers = promise
        const sending = send(first, "ann", chatId)
        await asked
        expect(await sweep(second)).toMatchObject({ chats: 1, conversations: 0, auditEntries: 0 })
        answer()
        expect((await sending).text).toBe(ANSWER)
        expect(await stored(second, "ann", chatId)).toEqual([...turn, ...turn])
        expect(await stored(second, "ann", forgotten.chatId)).toBeUndefined()
      })
  )

  it("an old chat is either answered and whole, or gone: never answered and gone", () =>
    onServers(async (servers, query) => {
      const [first, second, third, fourth] = servers as [Parley, Parley, Parley, Parley]
      held.answers = Promise.resolve()
      const users = Array.from({ length: 4 }, (_, index) => `user-${index}`)
      for (let round = 0; round < ROUNDS; round++) {
        const chats = await Promise.all(users.map(async (user) => ({ user, ...(await send(first, user)) })))
        await age(query)
        const sends = chats.map(async ({ chatId, user }, index) => {
          try {
            return await patiently(() => send(index % 2 === 0 ? first : second, user, chatId), ["StorageFailed"])
          } catch (error) {
            expect(tagOf(error)).toBe("ChatNotFound")
            return undefined
          }
        })
        // Sweeps begin at another moment of the request in each round.
        for (let step = 0; step < round; step++) await query("SELECT")
        const [answers] = await Promise.all([Promise.all(sends), sweep(third), sweep(fourth)])
        for (const [index, { chatId, user }] of chats.entries()) {
          const answer = answers[index]
          outcomes[answer === undefined ? "gone" : "answered"] += 1
          expect(await stored(third, user, chatId)).toEqual(answer === undefined ? undefined : [...turn, ...turn])
        }
      }
      const { rows } = await query(
        "SELECT count(*)::int AS count FROM parley.messages m WHERE NOT EXISTS (SELECT FROM parley.chats c WHERE c.id = m.chat_id)"
      )
      expect(rows).toEqual([{ count: 0 }])
      const paid = await query("SELECT count(*)::int AS count FROM parley.credit_transactions WHERE type = 'usage'")
      expect(paid.rows).toEqual([{ count: ROUNDS * users.length + outcomes.answered }])
    }))

  afterAll(() => {
    // A race that always ends the same way shows nothing.
    expect(outcomes.answered).toBeGreaterThan(0)
    expect(outcomes.gone).toBeGreaterThan(0)
  })
})
