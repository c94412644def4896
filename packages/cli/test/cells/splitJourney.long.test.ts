/** A cell is split by its replica while a server and a worker of their own processes run, which are not restarted. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { rowsIn } from "../../../adapters-db/test/cells/copiedCells.ts"
import { administer } from "../../../adapters-db/test/administer.ts"
import { ReplicatedServer } from "../../../adapters-db/test/faults/ReplicatedServer.ts"
import { eventually, ParleyProcess, temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "../processes/RunningServer.ts"
import { peopleOf } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const [LOWER, UPPER] = [peopleOf("lower", 3), peopleOf("upper", 3)]
const LOGIN = "parley_ordinary"

interface Balance {
  readonly available: number
}
interface Chats {
  readonly chats: ReadonlyArray<{ readonly id: string }>
}

/** One person who asks again and again, and counts the answers. */
class Asker {
  answered = 0
  readonly problems: Array<string> = []
  readonly name: string
  readonly visitor: Visitor
  #done = false
  #running = Promise.resolve()

  constructor(name: string, visitor: Visitor) {
    this.name = name
    this.visitor = visitor
  }

  begin(): void {
    this.#running = this.#ask().catch((cause: unknown) => void this.problems.push(String(cause)))
  }

  async end(): Promise<void> {
    this.#done = true
    await this.#running
  }

  async #ask(): Promise<void> {
    while (!this.#done) {
      const messages = [{ role: "user", content: `Say hello, please, for the ${this.answered}th time.` }]
      const answer = await this.visitor.post("/api/chat", { messages })
      const text = await answer.text()
      if (answer.status === 200 && text.includes("offline stand-in")) this.answered += 1
      else this.problems.push(`${answer.status} ${text.slice(0, 300)}`)
    }
  }
}

describe.runIf(hasPostgres).each(["a superuser", "an ordinary login"] as const)(
  "a cell that is split by %s while people chat",
  { timeout: 300_000 },
  (kind) => {
    const folder = temporaryFolder()
    let postgres: ReplicatedServer
    let urls: { readonly first: string; readonly replica: string }
    let environment: Record<string, string>
    let server: RunningServer
    let worker: ParleyProcess
    let people: ReadonlyArray<Asker>

    const parley = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path, environment)
    const countIn = async (url: string, names: ReadonlyArray<string>) => {
      const list = names.map((name) => `'${name}'`).join(", ")
      const [row] = await rowsIn(
        url,
        `SELECT count(*)::integer AS count FROM parley.credit_transactions WHERE type = 'usage' AND user_id IN (${list})`
      )
      return row?.["count"]
    }
    const answers = (names: ReadonlyArray<string>) =>
      people.filter(({ name }) => names.includes(name)).reduce((sum, { answered }) => sum + answered, 0)

    beforeAll(async () => {
      postgres = await ReplicatedServer.start()
      const [first, replica] = [new URL(postgres.url), new URL(postgres.replicaUrl)]
      if (kind === "an ordinary login") {
        await administer(
          [
            `CREATE ROLE ${LOGIN} LOGIN CREATEROLE`,
            `ALTER DATABASE ${first.pathname.slice(1)} OWNER TO ${LOGIN}`,
            "CREATE EXTENSION IF NOT EXISTS vector"
          ],
          undefined,
          postgres.url
        )
        first.username = LOGIN
        replica.username = LOGIN
      }
      urls = { first: first.href, replica: replica.href }
      environment = {
        DATABASE_URL: urls.first,
        PARLEY_CELLS: JSON.stringify({ "eu-1": urls.first, "eu-2": urls.replica })
      }
      worker = new ParleyProcess(["work"], folder.path, environment)
      server = await startServer(folder.path, environment, ["--no-work"])
      people = [...LOWER, ...UPPER].map((name) => new Asker(name, new Visitor(server.url)))
      for (const { name, visitor } of people) {
        await visitor.signIn(name)
        expect((await visitor.get("/api/billing/balance")).status).toBe(200)
        expect(await parley("credits", "grant", name, "100000")).toMatchObject({ exit: 0 })
      }
    })
    afterAll(async () => {
      await Promise.all([server[Symbol.asyncDispose](), worker[Symbol.asyncDispose]()])
      await postgres[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    })

    it("no request is refused, each answer is charged once in one cell, and the rows that are left are erased", async () => {
      for (const person of people) person.begin()
      await eventually("some answers", () => {
        expect(people.flatMap(({ problems }) => problems)).toEqual([])
        return answers([...LOWER, ...UPPER]) > 30 ? true : undefined
      })
      const dry = await parley("cells", "split", "eu-1", "--to", "eu-2", "--dry-run", "--json")
      expect(dry).toMatchObject({ exit: 0, stderr: "" })
      expect(JSON.parse(dry.stdout)).toMatchObject({ buckets: 2048, people: UPPER.length, ended: false })

      await using splitting = new ParleyProcess(["cells", "split", "eu-1", "--to", "eu-2"], folder.path, environment)
      if (kind === "an ordinary login") {
        await eventually("the call for the provider", () =>
          splitting.stderr.includes("Promote the replica now") ? true : undefined
        )
        await administer("SELECT pg_promote()", undefined, postgres.replicaUrl)
      }
      const split = await splitting.ended
      expect(split).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(/Split eu-1: 2048 buckets with 3 people went to eu-2\./)
      })
      expect(split.stderr.includes("Promote the replica now")).toBe(kind === "an ordinary login")
      const before = answers(UPPER)
      await eventually("answers in the new cell", () => (answers(UPPER) > before + 10 ? true : undefined))
      await Promise.all(people.map((person) => person.end()))

      expect(people.flatMap(({ problems }) => problems)).toEqual([])
      for (const command of [
        ["cells", "verify"],
        ["credits", "verify"]
      ])
        expect(await parley(...command)).toMatchObject({ exit: 0 })
      expect(await countIn(urls.replica, UPPER)).toBe(answers(UPPER))
      expect(await countIn(urls.first, LOWER)).toBe(answers(LOWER))
      for (const { visitor } of people) {
        expect((await visitor.getJson<Balance>("/api/billing/balance")).available).toBeGreaterThan(0)
        expect((await visitor.getJson<Chats>("/api/chats")).chats.length).toBeGreaterThan(0)
      }
      const again = await parley("cells", "split", "eu-1", "--to", "eu-2")
      expect(again).toMatchObject({ exit: 0, stdout: expect.stringMatching(/was split off from eu-1 already/) })
      const listed = JSON.parse((await parley("cells", "list", "--json")).stdout) as unknown
      expect(listed).toMatchObject({
        cells: [
          { name: "eu-1", buckets: 2048, database: "ready" },
          { name: "eu-2", buckets: 2048, database: "ready" }
        ]
      })
      await eventually("the erasure of what is left", async () =>
        (await countIn(urls.first, UPPER)) === 0 && (await countIn(urls.replica, LOWER)) === 0 ? true : undefined
      )
      expect(await parley("cells", "verify")).toMatchObject({ exit: 0 })
    })
  }
)
