/**
 * Shows the growth of the database. It stores many replies through Parley on a real Postgres, compares the size of each
 * table with its size after a rewrite, deletes all chats as the retention does, and stores half of the replies again.
 * `npm run bench:growth`, with TEST_DATABASE_URL; `-- --replies 20000` for a short run. Exits with 1 if a goal is
 * missed.
 */
import { parseArgs } from "node:util"
import { openDatabase } from "@parley/adapters-db"
import { createParley } from "@parley/core"
import { type ChatModel, ChatModels } from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import pg from "pg"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"

const { values: flags } = parseArgs({ options: { replies: { type: "string", default: "200000" } } })
const replies = Number(flags.replies)
if (!(replies >= 1_000 && replies % 2 === 0)) throw new Error("--replies: an even number from 1000")
const PEOPLE = 64
const TURNS = 10
const MB = 1024 ** 2
/**
 * The most space that all tables may take, as a multiple of their size after a rewrite; and the most space that chats
 * and messages may take after all were deleted and half of the replies were stored again, as a multiple of their size
 * before.
 */
const BLOAT = 1.5
const AGAIN = 1.1
/**
 * Tables that have about the same number of rows after each reply. Between two rounds of autovacuum, which are a minute
 * apart, they grow with the rate of replies; with the number of replies they may grow at most by the factor `LEVEL`.
 */
const PASSING = ["credit_holds", "running_replies", "running_reply_texts", "credit_accounts"]
const LEVEL = 1.5

const text = "The report names three causes, and each of them grew by a tenth in the year. ".repeat(12)
const house: ChatModel = {
  name: "house",
  stream: () =>
    Stream.make(
      { _tag: "text-delta" as const, text },
      {
        _tag: "end" as const,
        reason: "completed" as const,
        usage: { freshInput: 900, cacheRead: 0, cacheWrite: 0, output: 250 }
      }
    )
}
const config = {
  replace: true,
  models: {
    "house-1": { vendor: "house", vendorModel: "large", creditsPer1kInput: 1, creditsPer1kOutput: 4, minimumCredits: 1 }
  },
  tiers: { free: { monthlyCredits: 1_000_000_000, models: ["house-1"], maxChatBytes: 1_000_000_000_000 } }
}

type Sizes = ReadonlyMap<string, number>
const sizesOf = async (admin: pg.Client): Promise<Sizes> => {
  const { rows } = await admin.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'parley' AND c.relkind = 'r'`
  )
  return new Map(rows.map(({ bytes, name }) => [name, Number(bytes)]))
}
const sum = (sizes: Sizes) => [...sizes.values()].reduce((total, bytes) => total + bytes, 0)
const megabytes = (bytes: number) => (bytes / MB).toFixed(1)

const goal = (met: boolean, said: string): void => {
  console.log(`${met ? "met   " : "MISSED"} ${said}`)
  if (!met) process.exitCode = 1
}

const database = await createTemporaryDatabase()
const admin = new pg.Client({ connectionString: database.url })
const opened = await openDatabase({ url: database.url, logger: false })
const parley = await createParley({
  ...opened,
  models: ChatModels.of({ resolve: () => Effect.succeed(house) }),
  config,
  logger: false
})

/** Stores `count` replies of `PEOPLE` people, each of whom has one conversation after another. */
const store = async (count: number): Promise<void> => {
  let left = count
  const started = performance.now()
  const talk = async (user: string) => {
    for (let chatId: string | undefined, turn = 0; left > 0; turn++) {
      left -= 1
      if (left % 10_000 === 0) process.stderr.write(`${left} replies to store\n`)
      if (turn % TURNS === 0) chatId = undefined
      const messages = [{ role: "user" as const, content: "What does the report say about the causes?" }]
      const reply = await parley.chat.send(user, {
        messages,
        modelId: "house-1",
        ...(chatId === undefined ? {} : { chatId })
      })
      await reply.text()
      chatId = reply.chatId
    }
  }
  await Promise.all(Array.from({ length: PEOPLE }, (_, index) => talk(`person-${index}`)))
  console.log(`${count} replies stored, ${(count / ((performance.now() - started) / 1000)).toFixed(0)} a second`)
}

try {
  await admin.connect()
  await store(replies / 2)
  const half = await sizesOf(admin)
  await store(replies / 2)
  const full = await sizesOf(admin)
  const { rows: dead } = await admin.query<{ name: string; dead: string }>(
    "SELECT relname AS name, n_dead_tup AS dead FROM pg_stat_user_tables WHERE schemaname = 'parley'"
  )
  for (const name of full.keys()) await admin.query(`VACUUM FULL parley.${name}`)
  const packed = await sizesOf(admin)
  console.log("table, MB, MB after a rewrite, dead rows")
  const largest = [...full].toSorted(([, one], [, other]) => other - one).slice(0, 12)
  for (const [name, bytes] of largest) {
    const deadRows = dead.find((row) => row.name === name)?.dead ?? "0"
    console.log(`${name}, ${megabytes(bytes)}, ${megabytes(packed.get(name) ?? 0)}, ${deadRows}`)
  }
  console.log(`bytes a reply: ${(sum(full) / replies).toFixed(0)}`)
  goal(
    sum(full) <= BLOAT * sum(packed),
    `all tables, beside a rewrite, at most ${BLOAT}: ${(sum(full) / sum(packed)).toFixed(2)}`
  )
  for (const name of PASSING) {
    const [earlier, later] = [half.get(name) ?? Number.NaN, full.get(name) ?? Number.NaN]
    const said = `${name}, MB after half and after all replies, at most ${LEVEL} times as large`
    goal(later <= LEVEL * Math.max(earlier, MB), `${said}: ${megabytes(earlier)}, ${megabytes(later)}`)
  }

  while (
    (await Effect.runPromise(opened.chatRecords.removeUnused({ whose: "people", unusedForMs: 0, limit: 1_000 }))) > 0
  );
  await admin.query("VACUUM parley.messages, parley.chats")
  await store(replies / 2)
  const again = await sizesOf(admin)
  const ofChats = (sizes: Sizes) => (sizes.get("messages") ?? 0) + (sizes.get("chats") ?? 0)
  const ratio = ofChats(again) / ofChats(full)
  goal(
    ratio <= AGAIN,
    `chats and messages after deletion and half of the replies again, at most ${AGAIN}: ${ratio.toFixed(2)}`
  )
} finally {
  await parley.close()
  await opened.close()
  await admin.end()
  await database.drop()
}
