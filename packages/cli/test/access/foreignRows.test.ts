/**
 * Every route for signed-in people, with only the row-level policies between one person and another: on a database whose
 * statements and functions have no condition on the owner, through a pooler in transaction mode.
 */
import { openDatabase } from "@parley/adapters-db"
import { chatModelsLayer, OfflineChatModel } from "@parley/adapters-llm"
import { parleyFetch, type Route, routes } from "@parley/adapters-http"
import { createParley, type Parley } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { runtimeOf, UserExport } from "@parley/core/effect"
import { Effect, Exit, Scope, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../../../adapters-db/test/databases.ts"
import { withoutConditions } from "../../../adapters-db/test/ownerConditions/removeConditions.ts"
import { newRemoval, poolWithoutConditions } from "../../../adapters-db/test/ownerConditions/statementsWithout.ts"
import { hasPooler } from "../../../adapters-db/test/pooler.ts"

const [ANN, BEN] = ["ann", "ben"]
const MARK = "a mark of ben"

/** The ids of a person's data. */
interface Owned {
  readonly chatId: string
  readonly messageId: string
  readonly documentId: string
  readonly botId: string
  readonly publicKey: string
  readonly conversationId: string
}

const bodies: Readonly<Record<string, (owned: Owned) => unknown>> = {
  "/api/chat": ({ chatId, documentId }) => ({
    messages: [{ role: "user", content: "And?" }],
    chatId,
    documentIds: [documentId]
  }),
  "/api/chats/{id}": () => ({ title: "Taken" }),
  "/api/chats/{id}/documents": ({ documentId }) => ({ documentIds: [documentId] }),
  "/api/chats/{id}/share": () => ({}),
  "/api/chats/{id}/messages/{message}/rating": () => ({ rating: "bad", comment: "Taken" }),
  "/api/preferences": () => ({ instructions: "Taken", modelId: null }),
  "/api/rag": ({ documentId }) => ({ documentId }),
  "/api/bots": ({ documentId }) => ({ displayName: "New", documentIds: [documentId] }),
  "/api/bots/{id}": () => ({ displayName: "Taken" }),
  "/api/billing/checkout": () => ({ priceId: "price_credits", mode: "one-time" }),
  "/api/account": () => ({ userId: BEN })
}

describe.runIf(hasPostgres && hasPooler)("without conditions on the owner", () => {
  const removal = newRemoval()
  const scope = Effect.runSync(Scope.make())
  let parley: Parley
  let serve: (request: Request) => Promise<Response>
  let close = async () => {}
  let bens: Owned

  const send = (user: string, method: string, path: string, body?: unknown) =>
    serve(
      new Request(`http://localhost${path}`, {
        method,
        headers: { "x-user": user, ...(body instanceof FormData ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) })
      })
    )

  const own = async (user: string, mark: string): Promise<Owned> => {
    const reply = await send(user, "POST", "/api/chat", { messages: [{ role: "user", content: mark }] })
    await reply.text()
    const form = new FormData()
    form.set("file", new File([mark], `${mark}.txt`))
    const uploaded = (await (await send(user, "POST", "/api/upload", form)).json()) as { documentId: string }
    const { id: botId } = await parley.bots.create(user, { displayName: mark, visitorUploads: true })
    const { keys } = await parley.bots.addKey(user, botId)
    const publicKey = keys[0]?.publicKey ?? ""
    const visit = await send(user, "POST", "/api/widget/chat", { publicKey, visitorId: "v-1", message: mark })
    await visit.text()
    const conversationId = visit.headers.get("x-conversation-id") ?? expect.fail("no conversation")
    const attached = new FormData()
    for (const [field, text] of Object.entries({ publicKey, visitorId: "v-1", conversationId }))
      attached.set(field, text)
    attached.set("file", new File([mark], `${mark}, of a visitor.txt`))
    expect((await send("", "POST", "/api/widget/files", attached)).status).toBe(200)
    return {
      chatId: reply.headers.get("x-chat-id") ?? expect.fail("no chat"),
      messageId: reply.headers.get("x-message-id") ?? expect.fail("no message"),
      documentId: uploaded.documentId,
      botId,
      publicKey,
      conversationId
    }
  }

  beforeAll(async () => {
    const { direct, url } = await Effect.runPromise(Scope.provide(withoutConditions(removal), scope))
    const pool = poolWithoutConditions(url, removal)
    const stores = await openDatabase({ pool, directUrl: direct, migrate: false, logger: false })
    const models = chatModelsLayer({ offline: new OfflineChatModel() })
    parley = await createParley({
      ...stores,
      models: Effect.runSync(Effect.provide(ChatModels, models)),
      work: ["holds"],
      logger: false
    })
    const authenticate = (request: Request) => ({ userId: request.headers.get("x-user") ?? "" })
    serve = parleyFetch({ runtime: runtimeOf(parley), authenticate })
    close = async () => {
      await parley.close()
      await stores.close()
      await pool.end()
    }
    bens = await own(BEN, MARK)
    await own(ANN, "a mark of ann")
  })
  afterAll(async () => {
    await close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  /** Everything that is stored about ben. */
  const everything = () =>
    runtimeOf(parley).runPromise(
      UserExport.use((users) => Stream.runCollect(users.lines(BEN, { by: "a test", reason: undefined }))).pipe(
        Effect.map((lines) =>
          lines
            .filter(({ kind }) => !["export", "end", "audit", "event"].includes(kind))
            .map((line) => JSON.stringify(line))
        )
      )
    )

  const pathOf = ({ path }: Route, owned: Owned) => {
    const { botId, chatId, conversationId, documentId, messageId: message, publicKey } = owned
    const id = path.includes("/chats/") ? chatId : path.includes("/bots/") ? botId : documentId
    const values: Readonly<Record<string, string>> = { id, key: publicKey, conversationId, message, provider: "none" }
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? expect.fail(path))
  }
  const requestOf = (route: Route): [string, string, unknown] => {
    if (route.body?.contentType === "multipart/form-data") {
      const form = new FormData()
      form.set("file", new File(["new"], "new.txt"))
      return [route.method, pathOf(route, bens), form]
    }
    return [route.method, pathOf(route, bens), route.body === undefined ? undefined : bodies[route.path]?.(bens)]
  }

  const ofPeople = routes.filter(({ access }) => access.name === "session")

  it.each(ofPeople.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s reads and writes no row of another person",
    async (_, route) => {
      const before = await everything()
      expect(before.filter((line) => line.includes(MARK)).length).toBeGreaterThan(3)
      const answer = await send(ANN, ...requestOf(route))
      expect(answer.status, await answer.clone().text()).not.toBe(500)
      expect(await answer.text()).not.toContain(MARK)
      expect(await everything()).toEqual(before)
    }
  )

  it("every statement of a person's role that names an owner was sent without its condition", () => {
    expect(ofPeople.length).toBeGreaterThan(35)
    expect([...removal.missed]).toEqual([])
    expect(removal.statements.size).toBeGreaterThan(20)
  })
})
