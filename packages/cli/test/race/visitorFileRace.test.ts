import { Database, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { parleyFetch } from "@parley/adapters-http"
import { chatModelsLayer, OfflineChatModel } from "@parley/adapters-llm"
import { createParley, type Parley } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { runtimeOf, UserService } from "@parley/core/effect"
import { Effect, Exit, ManagedRuntime, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres, migratedPostgres } from "../../../adapters-db/test/databases.ts"

const ROUNDS = 20
/** Reads by which the deletion of the n-th round begins later than the upload. */
const MOST_READS = 10

describe.runIf(hasPostgres)("a visitor's file beside a deletion", () => {
  const scope = Effect.runSync(Scope.make())
  let parley: Parley
  let database: ManagedRuntime.ManagedRuntime<Database, never>
  let serve: (request: Request) => Promise<Response>
  let close = async () => {}

  beforeAll(async () => {
    const url = await Effect.runPromise(Scope.provide(migratedPostgres, scope))
    database = ManagedRuntime.make(PgDatabaseLayer({ url, maxConnections: 1 }))
    const stores = await openDatabase({ url, directUrl: url, migrate: false, logger: false })
    const models = chatModelsLayer({ offline: new OfflineChatModel() })
    parley = await createParley({
      ...stores,
      models: Effect.runSync(Effect.provide(ChatModels, models)),
      config: { widget: { perIpPerMinute: 1_000 } },
      work: ["holds"],
      logger: false
    })
    const authenticate = (request: Request) => ({ userId: request.headers.get("x-user") ?? "" })
    serve = parleyFetch({ runtime: runtimeOf(parley), authenticate })
    close = async () => {
      await parley.close()
      await stores.close()
      await database.dispose()
    }
  })
  afterAll(async () => {
    await close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const attach = async (publicKey: string, conversationId?: string) => {
    const form = new FormData()
    form.set("publicKey", publicKey)
    form.set("visitorId", "v-1")
    if (conversationId !== undefined) form.set("conversationId", conversationId)
    form.set("file", new File(["Storks. ".repeat(40_000)], "storks.txt"))
    const answer = await serve(new Request("http://localhost/api/widget/files", { method: "POST", body: form }))
    const body = (await answer.json()) as { readonly conversationId: string; readonly code?: string }
    return { ...body, outcome: answer.status === 200 ? "attached" : (body.code ?? "") }
  }

  const remaining = async (owner: string) => {
    const count = (table: string) => `(SELECT count(*)::int FROM parley.${table} WHERE user_id = $1)`
    const all = `SELECT ${count("documents")} + ${count("chats")} + ${count("file_parts")} AS left`
    const [row] = await database.runPromise(Database.use(({ statement }) => statement(all, [owner])))
    return row?.["left"]
  }

  interface Stage {
    readonly owner: string
    readonly botId: string
    readonly publicKey: string
    readonly conversationId: string
  }
  const erase = (owner: string) =>
    runtimeOf(parley).runPromise(UserService.use((users) => Effect.asVoid(users.erase(owner))))

  it.each([
    ["bot", "bot_not_found", ({ botId, owner }: Stage) => parley.bots.remove(owner, botId)],
    ["bot's owner", "bot_not_found", ({ owner }: Stage) => erase(owner)],
    [
      "conversation",
      "conversation_not_found",
      ({ botId, conversationId, owner }: Stage) => parley.conversations.remove(owner, botId, conversationId)
    ]
  ] as const)("of its %s is deleted with it or refused, and leaves nothing behind", async (what, refusal, remove) => {
    const outcomes = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const owner = `${what} ${round}`
      const { id: botId, keys } = await parley.bots.create(owner, { displayName: "Ada", visitorUploads: true })
      const publicKey = keys[0]?.publicKey ?? ""
      await parley.credits.balance(owner)
      const { conversationId } = await attach(publicKey)
      const into = what === "conversation" ? conversationId : undefined
      const removing = async () => {
        for (let reads = round % MOST_READS; reads > 0; reads--) await parley.bots.get(owner, botId)
        await remove({ owner, botId, publicKey, conversationId })
      }
      const [{ outcome }] = await Promise.all([attach(publicKey, into), removing()])
      outcomes.add(outcome)
      expect([round, outcome, await remaining(owner)]).toEqual([round, outcome, 0])
    }
    expect(["attached", refusal]).toEqual(expect.arrayContaining([...outcomes]))
  })
})
