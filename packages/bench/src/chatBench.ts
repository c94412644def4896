/**
 * Streamed replies through Parley beside a bare handler and the usual one, behind one fake vendor, all in one run.
 * `npm run bench:chat`, with TEST_DATABASE_URL; `-- --quick` for a short look. Exits with 1 where a goal is missed.
 */
import { parseArgs } from "node:util"
import pg from "pg"
import { type Contender, startBare, startParley, startUsual } from "./chat/Contender.ts"
import { processorToFirstWords, throughput, transactionsToFirstWords, warmUp } from "./chat/measures.ts"
import { ServerProcess } from "./chat/ServerProcess.ts"
import { machineFacts } from "./measuring/machineFacts.ts"
import { median, shuffled } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    milliseconds: { type: "string" },
    streams: { type: "string", default: "64" }
  }
})
const rounds = Number(flags.rounds ?? (flags.quick ? 3 : 9))
const milliseconds = Number(flags.milliseconds ?? (flags.quick ? 1500 : 3000))
const streams = Number(flags.streams)
const FIRST_WORDS = 200

interface Series {
  readonly contender: Contender
  readonly processorToFirst: Array<number>
  readonly repliesPerSecond: Array<number>
  readonly processorPerReply: Array<number>
  transactions: number | undefined
}

const measureRound = async ({ contender, ...series }: Series): Promise<void> => {
  series.processorToFirst.push(await processorToFirstWords(contender, FIRST_WORDS))
  const { processorMilliseconds, repliesPerSecond } = await throughput(contender, streams, milliseconds)
  series.repliesPerSecond.push(repliesPerSecond)
  series.processorPerReply.push(processorMilliseconds)
}

const measureAll = async (contenders: ReadonlyArray<Contender>): Promise<ReadonlyArray<Series>> => {
  const all = contenders.map((contender): Series => ({
    contender,
    processorToFirst: [],
    repliesPerSecond: [],
    processorPerReply: [],
    transactions: undefined
  }))
  for (const { contender } of all) {
    await warmUp(contender)
    await throughput(contender, streams, milliseconds)
    await processorToFirstWords(contender, FIRST_WORDS)
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const series of shuffled(all)) await measureRound(series)
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  for (const series of all) series.transactions = await transactionsToFirstWords(series.contender, FIRST_WORDS)
  return all
}

const table = (all: ReadonlyArray<Series>): string => {
  const column = (text: string) => text.padStart(16)
  const figures = (values: ReadonlyArray<number>, digits: number) => {
    const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits))
    return column(`${median(values).toFixed(digits)} (${least}-${most})`.padStart(22))
  }
  const heads = ["ms to first", "transactions", "replies/s", "ms a reply"]
  const lines = all.map(({ contender, processorPerReply, processorToFirst, repliesPerSecond, transactions }) =>
    [
      contender.name.padEnd(20),
      figures(processorToFirst, 2),
      column(transactions?.toFixed(2) ?? "-"),
      figures(repliesPerSecond, 0),
      figures(processorPerReply, 2)
    ].join("  ")
  )
  const [first = "", second = "", third = "", fourth = ""] = heads
  const title = [
    "median (least-most)".padEnd(20),
    first.padStart(22),
    column(second),
    third.padStart(22),
    fourth.padStart(22)
  ]
  return [title.join("  "), ...lines].join("\n")
}

const report = (all: ReadonlyArray<Series>): void => {
  const [bare, usual, parley] = all as readonly [Series, Series, Series]
  const ratios = (other: Series) =>
    median(parley.repliesPerSecond.map((value, round) => value / (other.repliesPerSecond[round] ?? Number.NaN)))
  const beyond = median(
    parley.processorToFirst.map((value, round) => value - (bare.processorToFirst[round] ?? Number.NaN))
  )
  const transactions = parley.transactions ?? Number.NaN
  const goals = [
    { text: "processor to the first words beyond (a), ms, at most 3", figure: beyond, met: beyond <= 3 },
    { text: "transactions to the first words, at most 2", figure: transactions, met: transactions <= 2.05 },
    { text: "replies a second beside (a), at least 0.7", figure: ratios(bare), met: ratios(bare) >= 0.7 },
    { text: "replies a second beside (b), at least 1.0", figure: ratios(usual), met: ratios(usual) >= 1 }
  ]
  console.log(`\n${table(all)}\n`)
  for (const { figure, met, text } of goals) {
    console.log(`${met ? "met   " : "MISSED"} ${text.padEnd(56)} ${figure.toFixed(2)}`)
    if (!met) process.exitCode = 1
  }
}

const databases = [await createTemporaryDatabase(), await createTemporaryDatabase()] as const
try {
  const [usualDatabase, parleyDatabase] = databases
  const vendorProgram = new URL("chat/fakeVendor.ts", import.meta.url)
  await using vendor = await ServerProcess.start(vendorProgram, [], {})
  await using bare = await startBare(vendor.url)
  await using usual = await startUsual(vendor.url, usualDatabase.url)
  await using parley = await startParley(vendor.url, parleyDatabase.url)
  const admin = new pg.Client({ connectionString: parleyDatabase.url })
  await admin.connect()
  console.log(`${await machineFacts(admin)}\n${streams} streams of 200 chunks, ${rounds} rounds, random order`)
  await admin.end()
  report(await measureAll([bare, usual, parley]))
} finally {
  for (const database of databases) await database.drop()
}
