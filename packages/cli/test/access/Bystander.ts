import { openDatabase } from "@parley/adapters-db"
import { parleyFetch } from "@parley/adapters-http"
import { chatModelsLayer, OfflineChatModel } from "@parley/adapters-llm"
import { createParley, type Parley } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { runtimeOf, UserExport } from "@parley/core/effect"
import { Effect, Stream } from "effect"
import { expect, vi } from "vitest"

const MARK = "a mark of the bystander"

const withParley = async <A>(url: string, work: "jobs" | "holds", use: (parley: Parley) => Promise<A>): Promise<A> => {
  const stores = await openDatabase({ url, migrate: false, logger: false })
  const models = Effect.runSync(Effect.provide(ChatModels, chatModelsLayer({ offline: new OfflineChatModel() })))
  const parley = await createParley({ ...stores, models, work: [work], logger: false })
  try {
    return await use(parley)
  } finally {
    await parley.close()
    await stores.close()
  }
}

/** All that is stored about the person, without the traces of the export itself. */
const everythingOf = (parley: Parley): Promise<ReadonlyArray<string>> => {
  const lines = UserExport.use((users) => Stream.runCollect(users.lines(MARK, { by: "a test", reason: undefined })))
  return runtimeOf(parley).runPromise(
    Effect.map(lines, (all) =>
      all.filter(({ kind }) => !["export", "end", "audit", "event"].includes(kind)).map((line) => JSON.stringify(line))
    )
  )
}

const own = async (parley: Parley): Promise<void> => {
  const serve = parleyFetch({ runtime: runtimeOf(parley), authenticate: () => ({ userId: MARK }) })
  const post = async (path: string, body: FormData | object) => {
    const headers = body instanceof FormData ? {} : { "content-type": "application/json" }
    const text = body instanceof FormData ? body : JSON.stringify(body)
    const answer = await serve(new Request(`http://localhost${path}`, { method: "POST", headers, body: text }))
    expect(answer.status, path).toBe(200)
    await answer.text()
  }
  await post("/api/chat", { messages: [{ role: "user", content: MARK }] })
  const form = new FormData()
  form.set("file", new File([MARK], `${MARK}.txt`))
  await post("/api/upload", form)
  const { id } = await parley.bots.create(MARK, { displayName: MARK })
  const { keys } = await parley.bots.addKey(MARK, id)
  await post("/api/widget/chat", { publicKey: keys[0]?.publicKey, visitorId: "v-1", message: MARK })
  const isRead = async () => expect((await everythingOf(parley)).join("\n")).toContain('"ready"')
  await vi.waitFor(isRead, { timeout: 60_000, interval: 200 })
}

/**
 * A person with a chat, a document, a bot and a conversation of it, who does nothing further. All their texts and their
 * id contain the mark.
 */
export class Bystander {
  readonly mark = MARK
  readonly #url: string

  private constructor(url: string) {
    this.#url = url
  }

  /** Gives the person their data, in the database of a url. */
  static async begin(url: string): Promise<Bystander> {
    await withParley(url, "jobs", own)
    return new Bystander(url)
  }

  /** All that is stored about this person. */
  everything(): Promise<ReadonlyArray<string>> {
    return withParley(this.#url, "holds", everythingOf)
  }
}
