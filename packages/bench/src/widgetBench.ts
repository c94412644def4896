/**
 * Compares replies to the visitors of one popular bot with replies to the same number of visitors of many bots with
 * different owners: one account against many. `npm run bench:widget`, with TEST_DATABASE_URL; `-- --quick` for a short
 * run. Exits with 1 if the goal is missed.
 */
import { parseArgs } from "node:util"
import { openDatabase } from "@parley/adapters-db"
import { createParley } from "@parley/core"
import { ChatModels, DocumentParser, DocumentUnreadable } from "@parley/core/adapter"
import { Effect } from "effect"
import pg from "pg"
import { startParley } from "./chat/Contender.ts"
import { ServerProcess } from "./chat/ServerProcess.ts"
import { machineFacts } from "./measuring/machineFacts.ts"
import { median, shuffled } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"
import { askBot } from "./widget/askBot.ts"

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    milliseconds: { type: "string" },
    visitors: { type: "string", default: "200" }
  }
})
const rounds = Number(flags.rounds ?? (flags.quick ? 3 : 9))
const milliseconds = Number(flags.milliseconds ?? (flags.quick ? 2000 : 4000))
const visitors = Number(flags.visitors)
const MANY = 1_000_000_000
const LEAST_RATIO = 0.5

/** No limit refuses a visitor, because only the work is measured. */
const config = {
  tiers: { free: { monthlyCredits: MANY, maxChatBytes: MANY } },
  widget: {
    ...{ perIpPerMinute: MANY, streamsPerIp: MANY, perConversationPerMinute: MANY },
    ...{ perBotPerMinute: MANY, streamsPerBot: MANY, ownerDailyCredits: MANY }
  }
}

/** Creates a bot for each owner; returns their public keys. */
const makeBots = async (url: string, owners: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const database = await openDatabase({ url })
  const parley = await createParley({
    ...database,
    models: ChatModels.of({ resolve: () => Effect.die(new Error("Nothing is asked here.")) }),
    parser: DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "None here." })) }),
    work: false
  })
  const keys: Array<string> = []
  for (const owner of owners) {
    const bot = await parley.bots.create(owner, { displayName: "Ada" })
    keys.push(bot.keys[0]?.publicKey ?? "")
  }
  await parley.close()
  await database.close()
  return keys
}

let conversations = 0

/**
 * Returns the number of whole replies per second. Every visitor begins a new conversation when a reply has ended, until
 * the time is over. Running replies are then read to their end, and their time counts.
 */
const throughput = async (url: string, keyOf: (visitor: number) => string, duration: number): Promise<number> => {
  const start = performance.now()
  let replies = 0
  const visit = async (visitor: number) => {
    while (performance.now() < start + duration) {
      await askBot(url, { publicKey: keyOf(visitor), visitorId: `visitor-${conversations++}`, message: "Hi" })
      replies += 1
    }
  }
  await Promise.all(Array.from({ length: visitors }, (_, visitor) => visit(visitor)))
  return (replies * 1000) / (performance.now() - start)
}

const database = await createTemporaryDatabase()
try {
  await using vendor = await ServerProcess.start(new URL("chat/fakeVendor.ts", import.meta.url), [], {})
  await using parley = await startParley(vendor.url, database.url, config)
  const owners = Array.from({ length: visitors }, (_, index) => `owner-${index}`)
  const [popular = "", ...keys] = await makeBots(database.url, ["popular", ...owners])
  const loads = [
    { name: "one owner", keyOf: () => popular, rates: [] as Array<number> },
    { name: `${visitors} owners`, keyOf: (visitor: number) => keys[visitor] ?? "", rates: [] as Array<number> }
  ] as const
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  console.log(`${await machineFacts(admin)}\n${visitors} visitors at once, ${rounds} rounds, random order`)
  await admin.end()
  for (const { keyOf } of loads) await throughput(parley.server.url, keyOf, milliseconds)
  for (let round = 1; round <= rounds; round += 1) {
    for (const { keyOf, rates } of shuffled(loads)) {
      rates.push(await throughput(parley.server.url, keyOf, milliseconds))
    }
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  for (const { name, rates } of loads) {
    const [least, most] = [Math.min(...rates).toFixed(0), Math.max(...rates).toFixed(0)]
    console.log(`${name.padEnd(12)} ${median(rates).toFixed(0)} replies/s (${least}-${most})`)
  }
  const [one, many] = loads
  const ratio = median(one.rates.map((rate, round) => rate / (many.rates[round] ?? Number.NaN)))
  const met = ratio >= LEAST_RATIO
  console.log(`${met ? "met   " : "MISSED"} one owner beside many, at least ${LEAST_RATIO}: ${ratio.toFixed(2)}`)
  if (!met) process.exitCode = 1
} finally {
  await database.drop()
}
