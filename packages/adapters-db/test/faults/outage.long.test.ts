import {
  type ChatModelRequest,
  ChatModels,
  DocumentParser,
  DocumentUnreadable,
  type ReplyPart
} from "@parley/core/adapter"
import { ledgerOfStores } from "@parley/core/testing"
import { createParley, type Parley } from "@parley/core"
import { reservation } from "@parley/core/testing"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { openDatabase } from "../../src/openDatabase.ts"
import { administer } from "../administer.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"
import { SilentNetwork } from "./SilentNetwork.ts"

const parser = DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "Not read here." })) })

/** A model that writes its first word, and the rest when the test releases it: 1,000 tokens in, 500 out. */
const haltingModel = () => {
  const goOn = Promise.withResolvers<void>()
  const parts = (_request: ChatModelRequest) =>
    Stream.make<ReadonlyArray<ReplyPart>>({ _tag: "text-delta", text: "Hello" }).pipe(
      Stream.concat(
        Stream.unwrap(
          Effect.as(
            Effect.promise(() => goOn.promise),
            Stream.make<ReadonlyArray<ReplyPart>>(
              { _tag: "text-delta", text: " world" },
              {
                _tag: "end",
                reason: "completed",
                usage: { freshInput: 1_000, cacheRead: 0, cacheWrite: 0, output: 500 }
              }
            )
          )
        )
      ),
      Stream.rechunk(1)
    )
  const models = ChatModels.of({ resolve: () => Effect.succeed({ name: "halting", stream: parts }) })
  return { models, goOn: goOn.resolve }
}

/** Asks until the answer is right. */
const until = async <A>(ask: () => Promise<A>, isRight: (answer: A) => boolean): Promise<A> => {
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined && isRight(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const terminateAll = (database: string) =>
  administer(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`
  )

/** A reply that ends while the storage is away: charged exactly, and stored whole, once it is back. */
const replyThrough = async (
  parley: Parley,
  goOn: () => void,
  outage: { readonly begins: () => Promise<void>; readonly ends: () => Promise<void> }
) => {
  const reply = await parley.chat.send("ann", { messages: [{ role: "user", content: "Hi" }] })
  await outage.begins()
  goOn()
  expect(await reply.text()).toBe("Hello world")
  await outage.ends()
  const history = await until(
    () => parley.credits.history({ userId: "ann", limit: 10, offset: 0, type: "usage" }),
    ({ total }) => total > 0
  )
  expect(history.transactions.map(({ amount }) => amount)).toEqual([-3])
  expect(await parley.credits.receipt("ann", reply.messageId)).toMatchObject({ estimated: false, ended: "completed" })
  const { messages } = await until(
    () => parley.chat.get("ann", reply.chatId),
    ({ messages }) => messages.at(-1)?.state === "complete"
  )
  expect(messages.map(({ content }) => content)).toEqual(["Hi", "Hello world"])
  expect(await parley.credits.balance("ann")).toMatchObject({ held: 0, available: 97 })
}

const run = <A>(work: (url: string) => Promise<A>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(freshPostgres, (url) => Effect.promise(() => work(url)))))

describe.runIf(hasPostgres)("a database that is away", () => {
  it("taking no writes for 1.2 seconds: the reply that ends then is charged exactly and stored whole", () =>
    run(async (url) => {
      const name = new URL(url).pathname.slice(1)
      const database = await openDatabase({ url })
      const { models, goOn } = haltingModel()
      const parley = await createParley({ ...database, parser, models })
      try {
        await replyThrough(parley, goOn, {
          begins: async () => {
            await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
            await terminateAll(name)
          },
          ends: async () => {
            await new Promise((resolve) => setTimeout(resolve, 1_200))
            await administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
            await terminateAll(name)
          }
        })
      } finally {
        await parley.close()
        await database.close()
      }
    }))

  it(
    "without an answer: everything fails in time and works again with the network, and nothing is lost",
    () =>
      run(async (url) => {
        const network = await SilentNetwork.open(url)
        const database = await openDatabase({ url: network.through(url) })
        const { models, goOn } = haltingModel()
        const parley = await createParley({ ...database, parser, models })
        const bytes = new TextEncoder().encode("text")
        const uses = {
          reads: () => parley.credits.balance("bob"),
          chats: () => parley.chat.list({ userId: "bob", limit: 10, offset: 0 }),
          documents: () => parley.documents.list("bob"),
          uploads: () => parley.documents.upload({ userId: "bob", filename: "a.txt", bytes }),
          sweeps: () => Effect.runPromise(database.creditUpkeep.sweep({ limit: 10 })),
          resets: () => Effect.runPromise(database.creditUpkeep.due({ asOf: 0, before: undefined, limit: 10 }))
        }
        const useAll = () => Promise.allSettled(Object.values(uses).flatMap((use) => [use(), use()]))
        try {
          expect((await useAll()).map(({ status }) => status)).not.toContain("rejected")
          const left = { userId: "bob", key: "reply:left" }
          await Effect.runPromise(ledgerOfStores(database).reserve(reservation(left.userId, left.key, 5, { ttlMs: 1 })))
          let used: ReturnType<typeof useAll> | undefined
          await replyThrough(parley, goOn, {
            begins: async () => {
              network.fallSilent()
              used = useAll()
            },
            ends: async () => {
              expect((await used)?.map(({ status }) => status)).not.toContain("fulfilled")
              network.workAgain()
            }
          })
          await until(useAll, (answers) => answers.every(({ status }) => status === "fulfilled"))
          await until(
            () => parley.credits.balance("bob"),
            ({ held }) => held === 0
          )
        } finally {
          await parley.close()
          await database.close()
          await network[Symbol.asyncDispose]()
        }
      }),
    240_000
  )
})
