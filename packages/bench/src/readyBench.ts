/**
 * Measures the time from an upload until the document is ready, on the embedded database and, with TEST_DATABASE_URL,
 * on Postgres. It measures small texts one after another on a running server, and the first document of new servers.
 * `npm run bench:ready`; `-- --quick` for a short run, `-- --pdf <file>` for another PDF. Exits with 1 if a goal is
 * missed.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { makeAgent, signIn } from "./attack/request.ts"
import { ServerProcess } from "./chat/ServerProcess.ts"
import { median, quantile } from "./measuring/statistics.ts"
import { createTemporaryDatabase, type TemporaryDatabase } from "./measuring/temporaryDatabase.ts"
import { smallText, textPdf } from "./ready/samples.ts"
import { type Upload, type Uploader, uploadUntilReady } from "./ready/upload.ts"

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    pdf: { type: "string" },
    program: { type: "string" },
    only: { type: "string" }
  }
})
const TEXTS = flags.quick ? 30 : 60
const WARM_UP = 5
const FRESH = flags.quick ? 5 : 9
/** The time after a server's start in which a person would sign in and choose a file. */
const SETTLED_MS = 3_000
const GOALS_MS = { text: 50, pdf: 1_000 }

const program = new URL(flags.program ?? "../../cli/src/main.ts", import.meta.url)
const pdf = flags.pdf === undefined ? textPdf(52) : await readFile(flags.pdf)

/** Runs `use` with a new server, a new database and a signed-in person. */
const withServer = async <A>(postgres: boolean, use: (uploader: Uploader) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-ready-"))
  const agent = makeAgent()
  let database: TemporaryDatabase | undefined
  try {
    database = postgres ? await createTemporaryDatabase() : undefined
    const config = join(folder, "config.json")
    await writeFile(config, JSON.stringify({ tiers: { free: { maxDocuments: 1_000 } } }))
    const settings = { PARLEY_DATA_DIR: folder, PARLEY_CONFIG: config, PORT: "0", LOG_LEVEL: "error" }
    const place = database === undefined ? {} : { DATABASE_URL: database.url }
    await using server = await ServerProcess.start(program, ["serve"], { ...settings, ...place })
    const { url } = server
    return await use({ agent, url, cookie: await signIn(agent, url, "ready@example.org") })
  } finally {
    agent.destroy()
    await database?.drop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Figures {
  readonly name: string
  readonly uploads: ReadonlyArray<Upload>
  /** The longest acceptable median in milliseconds; undefined if there is no goal. */
  readonly goal?: number
}

/** Uploads small texts, one after another. */
const texts = (postgres: boolean): Promise<ReadonlyArray<Upload>> =>
  withServer(postgres, async (uploader) => {
    const uploads: Array<Upload> = []
    for (let number = 0; number < WARM_UP + TEXTS; number += 1) {
      uploads.push(await uploadUntilReady(uploader, `notes-${number}.md`, smallText(number)))
    }
    return uploads.slice(WARM_UP)
  })

/** Uploads the first document to each of several servers, `afterMs` milliseconds after the server's start. */
const first = async (postgres: boolean, afterMs: number, filename: string, bytes: Buffer) => {
  const uploads: Array<Upload> = []
  for (let round = 0; round < FRESH; round += 1) {
    const uploaded = withServer(postgres, async (uploader) => {
      await pause(afterMs)
      return await uploadUntilReady(uploader, filename, bytes)
    })
    uploads.push(await uploaded)
  }
  return uploads
}

const report = ({ goal, name, uploads }: Figures): void => {
  const figures = (values: ReadonlyArray<number>) =>
    `${median(values).toFixed(0).padStart(6)} (${quantile(values, 0.1).toFixed(0)}-${quantile(values, 0.9).toFixed(0)})`
  const ready = uploads.map((upload) => upload.ready)
  const [answered, then] = [uploads.map((upload) => upload.answered), uploads.map((u) => u.ready - u.answered)]
  const isMet = goal === undefined || median(ready) <= goal
  const verdict = goal === undefined ? "" : `${isMet ? "met" : "MISSED"} (${goal})`
  const cells = [name.padEnd(44), ...[ready, answered, then].map((values) => figures(values).padEnd(20)), verdict]
  console.log(`${cells.join(" ")}   load ${loadavg()[0]?.toFixed(1)}`)
  if (!isMet) process.exitCode = 1
}

const measure = async (postgres: boolean): Promise<void> => {
  const on = postgres ? "Postgres" : "PGlite"
  report({ name: `${on}, small text`, uploads: await texts(postgres), goal: GOALS_MS.text })
  const document = smallText(0)
  report({ name: `${on}, first text, at once`, uploads: await first(postgres, 0, "notes.md", document) })
  report({ name: `${on}, first PDF, at once`, uploads: await first(postgres, 0, "report.pdf", pdf) })
  report({
    name: `${on}, first PDF after ${SETTLED_MS / 1_000} s`,
    uploads: await first(postgres, SETTLED_MS, "report.pdf", pdf),
    goal: GOALS_MS.pdf
  })
}

const heads = ["ready", "upload answered", "then ready"].map((head) => head.padEnd(20))
console.log(["milliseconds: median (p10-p90)".padEnd(44), ...heads].join(" "))
if (flags.only !== "postgres") await measure(false)
if (flags.only !== "pglite" && process.env["TEST_DATABASE_URL"] !== undefined) await measure(true)
