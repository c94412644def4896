/**
 * Compares the passage index with LangChain.js' PGVectorStore and Mastra's PgVector, with the same passages and
 * vectors, on the server of TEST_DATABASE_URL: `npm run bench:rivals -- --rivals <folder>`; the folder contains both
 * libraries. Without the option, it prints the commands that create the folder. Exits with 1 if a goal is missed.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import pg from "pg"
import { machineFacts } from "./measuring/machineFacts.ts"
import { median, quantile } from "./measuring/statistics.ts"
import { createTemporaryDatabase, type TemporaryDatabase } from "./measuring/temporaryDatabase.ts"
import type { Contender } from "./rivals/Contender.ts"
import { CONTENDERS, type ContenderName } from "./rivals/contenders.ts"
import { type CorpusShape, exactNearest, makeCorpus } from "./rivals/corpus.ts"
import type { IngestFigures, IngestTask } from "./rivals/ingestProcess.ts"
import { HOW_TO_INSTALL } from "./rivals/rivals.ts"

const { values: flags } = parseArgs({
  options: {
    rivals: { type: "string" },
    dimensions: { type: "string", default: "384" },
    rounds: { type: "string", default: "3" },
    questions: { type: "string", default: "60" },
    only: { type: "string" }
  }
})
if (flags.rivals === undefined) {
  console.error(
    `Usage: npm run bench:rivals -- --rivals <folder> [--only ingest|search]\nThe folder: ${HOW_TO_INSTALL}`
  )
  process.exit(2)
}
const rivals = flags.rivals
const dimensions = Number(flags.dimensions)
const rounds = Number(flags.rounds)
const questions = Number(flags.questions)
const LIMIT = 10
const SEED = 7

const missed: Array<string> = []
const goal = (name: string, reached: boolean) => {
  console.log(`  ${reached ? "reached" : "MISSED "}  ${name}`)
  if (!reached) missed.push(name)
}

const withDatabase = async <A>(use: (database: TemporaryDatabase) => Promise<A>): Promise<A> => {
  const database = await createTemporaryDatabase()
  try {
    return await use(database)
  } finally {
    await database.drop()
  }
}

interface IngestCase {
  readonly name: string
  readonly contender: ContenderName
  readonly wordless: boolean
  /** True if the rows of documents are stored before the measured time; only Parley has such rows. */
  readonly uploaded: boolean
}

const CASES: ReadonlyArray<IngestCase> = [
  { name: "parley, with its index of words", contender: "parley", wordless: false, uploaded: true },
  { name: "parley, passages without words", contender: "parley", wordless: true, uploaded: true },
  { name: "LangChain.js PGVectorStore", contender: "langchain", wordless: false, uploaded: true },
  { name: "Mastra PgVector", contender: "mastra", wordless: false, uploaded: true },
  { name: "parley, with words, the documents' rows as well", contender: "parley", wordless: false, uploaded: false },
  { name: "parley, without words, the documents' rows as well", contender: "parley", wordless: true, uploaded: false }
]

const ingestOnce = ({ contender, uploaded, wordless }: IngestCase, shape: CorpusShape): Promise<IngestFigures> =>
  withDatabase(async ({ url }) => {
    const task: IngestTask = { contender, url, rivals, dimensions, seed: SEED, shape: { ...shape, wordless }, uploaded }
    const program = fileURLToPath(new URL("rivals/ingestProcess.ts", import.meta.url))
    const flagsOfNode = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]
    const { stdout } = await promisify(execFile)(process.execPath, [...flagsOfNode, program, JSON.stringify(task)])
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as IngestFigures
  })

const ingest = async (title: string, shape: CorpusShape): Promise<void> => {
  const figures = new Map(CASES.map((each) => [each.name, [] as Array<IngestFigures>]))
  for (let round = 0; round < rounds; round++) {
    for (const each of CASES) figures.get(each.name)?.push(await ingestOnce(each, shape))
  }
  const passages = shape.documents * shape.passages
  console.log(`\ningest: ${title}, medians of ${rounds} rounds      passages/s   peak MB   of them idle`)
  const rate = new Map<string, number>()
  for (const [name, all] of figures) {
    const perSecond = Math.round(passages / median(all.map(({ seconds }) => seconds)))
    rate.set(name, perSecond)
    const peak = median(all.map(({ peakMegabytes }) => peakMegabytes))
    const idle = median(all.map(({ idleMegabytes }) => idleMegabytes))
    console.log(
      `  ${name.padEnd(60)}${String(perSecond).padStart(8)}${String(peak).padStart(10)}${String(idle).padStart(12)}`
    )
  }
  const best = Math.max(rate.get(CASES[2]!.name) ?? 0, rate.get(CASES[3]!.name) ?? 0)
  goal("ahead of both without words", (rate.get(CASES[1]!.name) ?? 0) > best)
  goal("at least 0.7 of the faster with words", (rate.get(CASES[0]!.name) ?? 0) >= 0.7 * best)
}

interface Searched {
  readonly contender: Contender
  readonly milliseconds: Array<number>
  lost: number
}

const DOCUMENTS = 1_000
const PASSAGES = 5

/** Asks all contenders one question before the next one. Each question begins with another contender. */
const search = async (): Promise<void> => {
  const databases: Array<TemporaryDatabase> = []
  const contenders: Array<Contender> = []
  try {
    const corpus = makeCorpus({ documents: DOCUMENTS, passages: PASSAGES }, SEED)
    for (const open of Object.values(CONTENDERS)) {
      const database = await createTemporaryDatabase()
      databases.push(database)
      const contender = await open({ url: database.url, dimensions, rivals })
      contenders.push(contender)
      for (const document of corpus) {
        await contender.upload?.(document)
        await contender.ingest(document)
      }
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query("ANALYZE")
      await client.end()
    }
    for (const named of [1, 50, DOCUMENTS]) {
      const tally = contenders.map((contender): Searched => ({ contender, milliseconds: [], lost: 0 }))
      const worded: Searched = {
        contender: { ...contenders[0]!, name: "parley, question with words" },
        milliseconds: [],
        lost: 0
      }
      for (let question = -3; question < questions; question++) {
        const first = Math.abs(question * 37) % (DOCUMENTS - named + 1)
        const documents = corpus.slice(first, first + named)
        const documentIds = documents.map(({ id }) => id)
        // No passage contains a word of the question, so all contenders search by nearness only.
        const query = `question${question}`
        const nearest = exactNearest(documents, query, { dimensions, limit: LIMIT })
        const turn = Math.abs(question) % tally.length
        for (const each of [...tally.slice(turn), ...tally.slice(0, turn)]) {
          const begun = performance.now()
          const found = new Set(await each.contender.search({ documentIds, query, limit: LIMIT }))
          if (question < 0) continue
          each.milliseconds.push(performance.now() - begun)
          each.lost += nearest.filter((text) => !found.has(text)).length
        }
        const begun = performance.now()
        const words = documents[0]?.texts[0]?.split(" ").slice(3, 11).join(" ") ?? ""
        await worded.contender.search({ documentIds, query: words, limit: LIMIT })
        if (question >= 0) worded.milliseconds.push(performance.now() - begun)
      }
      report(named, tally, worded)
    }
  } finally {
    for (const contender of contenders) await contender.close()
    for (const database of databases) await database.drop()
  }
}

const report = (named: number, tally: ReadonlyArray<Searched>, worded: Searched) => {
  console.log(
    `\nsearch within ${named} of ${DOCUMENTS} documents, ${questions} questions        p50 ms    p99 ms   rows lost`
  )
  for (const { contender, lost, milliseconds } of [...tally, worded]) {
    const p50 = quantile(milliseconds, 0.5).toFixed(2)
    const p99 = quantile(milliseconds, 0.99).toFixed(2)
    const rows = contender.name === worded.contender.name ? "-" : String(lost)
    console.log(`  ${contender.name.padEnd(52)}${p50.padStart(10)}${p99.padStart(10)}${rows.padStart(12)}`)
  }
  const [parley, ...others] = tally
  goal("no row lost", parley?.lost === 0)
  if (named >= DOCUMENTS) return
  const fastest = Math.min(...others.map(({ milliseconds }) => quantile(milliseconds, 0.5)))
  goal("p50 below both", quantile(parley?.milliseconds ?? [], 0.5) < fastest)
}

await withDatabase(async ({ url }) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  console.log(await machineFacts(client))
  await client.end()
})
if (flags.only !== "search") {
  await ingest("10 documents of 200 passages", { documents: 10, passages: 200 })
  await ingest("200 documents of 5 passages", { documents: 200, passages: 5 })
}
if (flags.only !== "ingest") await search()
process.exitCode = missed.length === 0 ? 0 : 1
