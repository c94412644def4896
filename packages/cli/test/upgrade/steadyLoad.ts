import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { Chance } from "../crash/Chance.ts"
import { ChatLoad, type ChatRecord, type Person } from "../crash/chatLoad.ts"
import { spoken } from "../crash/judgeRound.ts"

const CHATTING = 3
const BETWEEN_MS = 15

interface Documents {
  readonly documents: ReadonlyArray<{ readonly id: string; readonly status: string }>
}

/**
 * People at one server who chat, read their balance and chats, and upload, one action after another. No action may
 * fail.
 */
export class SteadyLoad {
  readonly people: Array<Person> = []
  /** The successful actions, by kind. */
  readonly done = { replies: 0, reads: 0, uploads: 0 }
  readonly #chats: ChatLoad
  readonly #name: string
  readonly #chance: Chance
  #stopping = false
  #running: Promise<unknown> = Promise.resolve()

  private constructor(url: string, name: string, seed: number) {
    this.#name = name
    this.#chats = new ChatLoad(url, name)
    this.#chance = new Chance(seed)
  }

  /** Signs people in and has them begin. */
  static async begin(url: string, name: string, seed: number): Promise<SteadyLoad> {
    const load = new SteadyLoad(url, name, seed)
    const signIn = async (as: string) => {
      const person = await load.#chats.signIn(as)
      load.people.push(person)
      return person
    }
    const chatting = await Promise.all(Array.from({ length: CHATTING }, (_, index) => signIn(`chatting${index}`)))
    const [reading, uploading] = [await signIn("reading"), await signIn("uploading")]
    load.#running = Promise.all([
      ...chatting.map((person) => load.#again(() => load.#reply(person))),
      load.#again(() => load.#read(reading)),
      load.#again(() => load.#upload(uploading))
    ])
    // Looked at when the load ends.
    load.#running.catch(() => undefined)
    return load
  }

  /** The replies of all people. */
  get records(): ReadonlyArray<ChatRecord> {
    return this.#chats.records
  }

  /** Resolves after this many more actions of each kind; fails if an action failed. */
  async goesOn(more: number): Promise<void> {
    const { reads, replies, uploads } = this.done
    const isFar = () =>
      this.done.replies >= replies + more && this.done.reads >= reads + more && this.done.uploads >= uploads + more
    const far = (async () => {
      while (!isFar()) await sleep(BETWEEN_MS)
    })()
    await Promise.race([far, this.#running.then(() => Promise.reject(new Error("The load had ended.")))])
  }

  /** Lets all people finish their current action; fails if an action failed. */
  async end(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  async #again(once: () => Promise<void>): Promise<void> {
    while (!this.#stopping) {
      await once()
      await sleep(BETWEEN_MS)
    }
  }

  async #reply(person: Person): Promise<void> {
    const tokens = this.#chance.between(3, 60)
    const { end, status, text } = await this.#chats.ask(person, { tokens, slowMs: this.#chance.between(0, 20) })
    expect([status, end, text], this.#name).toEqual([200, "complete", spoken(tokens)])
    this.done.replies += 1
  }

  async #read({ visitor }: Person): Promise<void> {
    for (const path of ["/api/billing/balance", "/api/billing/credit-history", "/api/chats", "/api/documents"])
      await visitor.getJson(path)
    this.done.reads += 1
  }

  async #upload({ visitor }: Person): Promise<void> {
    const text = `Report ${this.done.uploads} of ${this.#name}.\n`.repeat(this.#chance.between(1, 40))
    const answer = await visitor.upload(`report-${this.done.uploads}.txt`, new TextEncoder().encode(text))
    expect(answer.status, await answer.text()).toBe(200)
    for (;;) {
      const { documents } = await visitor.getJson<Documents>("/api/documents")
      if (documents.every(({ status }) => status === "ready")) break
      expect(documents.map(({ status }) => status)).not.toContain("failed")
      await sleep(BETWEEN_MS)
    }
    // Deletes documents, so that no quota is used up.
    const { documents } = await visitor.getJson<Documents>("/api/documents")
    for (const { id } of documents) expect((await visitor.delete(`/api/documents/${id}`)).status).toBe(204)
    this.done.uploads += 1
  }
}
