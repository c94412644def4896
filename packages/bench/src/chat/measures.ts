import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { askChat, type AskedReply } from "./askChat.ts"
import { type Contender, USERS } from "./Contender.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** The characters of the fake vendor's reply: 200 times " words". */
const REPLY_CHARACTERS = 1_200

const userAt = (index: number): string => USERS[index % USERS.length] ?? ""

/** Waits until a server is idle: it then uses almost no processor time in 100 ms. */
const settled = async ({ server }: Contender): Promise<void> => {
  let before = await server.processorMilliseconds()
  for (let turn = 0; turn < 50; turn += 1) {
    await sleep(100)
    const now = await server.processorMilliseconds()
    if (now - before < 5) return
    before = now
  }
}

/**
 * Returns the processor time of a server for one request in milliseconds, on average over `replies` requests, one after
 * another.
 */
const processorOf = async (contender: Contender, replies: number, ask: (user: string) => Promise<AskedReply>) => {
  const open: Array<AskedReply> = []
  await settled(contender)
  const before = await contender.server.processorMilliseconds()
  for (let index = 0; index < replies; index += 1) open.push(await ask(userAt(index)))
  const used = (await contender.server.processorMilliseconds()) - before
  for (const reply of open) reply.leave()
  await settled(contender)
  return used / replies
}

/**
 * Measures the processor time until the request to the vendor: all work before the first words, except the vendor's.
 */
export const processorUntilAsked = (contender: Contender, replies: number, vendor: ServerProcess): Promise<number> =>
  processorOf(contender, replies, async (user) => {
    const asked = vendor.nextMessage()
    const reply = askChat(contender, user, "hold")
    await asked
    return reply
  })

/**
 * Measures the processor time until the first words, including concurrent work such as storing the turn. The vendor
 * sends nothing after the first words.
 */
export const processorWithFirstWords = (contender: Contender, replies: number): Promise<number> =>
  processorOf(contender, replies, async (user) => {
    const reply = askChat(contender, user, "first")
    await reply.firstWords
    return reply
  })

export interface Throughput {
  readonly repliesPerSecond: number
  /** The server's processor time for one whole reply. */
  readonly processorMilliseconds: number
}

/** Reads whole replies with `streams` concurrent readers, for `milliseconds`. Rejects if a reply is incomplete. */
export const throughput = async (contender: Contender, streams: number, milliseconds: number): Promise<Throughput> => {
  const { server } = contender
  const before = await server.processorMilliseconds()
  const start = performance.now()
  let replies = 0
  const read = async (reader: number) => {
    while (performance.now() - start < milliseconds) {
      const characters = await askChat(contender, userAt(reader), "all").whole
      if (characters !== REPLY_CHARACTERS) throw new Error(`${contender.name} gave ${characters} characters.`)
      replies += 1
    }
  }
  await Promise.all(Array.from({ length: streams }, (_, reader) => read(reader)))
  const seconds = (performance.now() - start) / 1000
  const used = (await server.processorMilliseconds()) - before
  return { repliesPerSecond: replies / seconds, processorMilliseconds: used / replies }
}

/**
 * The time after which Postgres' statistics are complete: it adds them up within ten seconds of a connection's last
 * statement.
 */
const STATISTICS_MS = 13_000
const BETWEEN_REQUESTS_MS = 40

/**
 * Returns the number of database transactions from a request to the first words, on average over `replies` requests one
 * after another, without the server's background transactions in the same time. The vendor sends nothing, so work after
 * the first words is not counted.
 */
export const transactionsToFirstWords = async (contender: Contender, replies: number): Promise<number | undefined> => {
  if (contender.databaseUrl === undefined) return undefined
  const client = new pg.Client({ connectionString: contender.databaseUrl })
  await client.connect()
  const window = async (requests: number) => {
    const open: Array<AskedReply> = []
    for (let index = 0; index < replies; index += 1) {
      if (index < requests) open.push(askChat(contender, userAt(index), "hold"))
      await sleep(BETWEEN_REQUESTS_MS)
    }
    await sleep(STATISTICS_MS)
    const { rows } = await client.query<{ count: string }>(
      "SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()"
    )
    return { count: Number(rows[0]?.count), open }
  }
  try {
    const before = await window(0)
    const idle = await window(0)
    const busy = await window(replies)
    for (const reply of busy.open) reply.leave()
    await settled(contender)
    return (busy.count - idle.count - (idle.count - before.count)) / replies
  } finally {
    await client.end()
  }
}

/** Reads one whole reply for each user, which opens the accounts and makes Node compile the code. */
export const warmUp = async (contender: Contender): Promise<void> => {
  await Promise.all(USERS.map((user) => askChat(contender, user, "all").whole))
}
