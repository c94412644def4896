import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { eventually, ParleyProcess } from "../processes/ParleyProcess.ts"
import { Chance } from "./Chance.ts"
import { ChatLoad, type ChatRecord } from "./chatLoad.ts"
import { CrashRig, serverUrl } from "./CrashRig.ts"
import { judgePeople, keyOf, spoken } from "./judgeRound.ts"
import { SilentWay } from "../../../bench/src/attack/SilentWay.ts"

/** Replies end by themselves soon after the signal, or go on for longer than the server waits. */
const SOON_MS = 1_200
const BEYOND_DEADLINE_MS = 40_000
const DEADLINE_MS = 10_000
/** Checks the proper replies of readers that came before the signal. */
const judgeDelivery = (records: ReadonlyArray<ChatRecord>, isCut: boolean): void => {
  for (const { asked, end, messageId, text } of records) {
    if (messageId === undefined || asked.more !== undefined || asked.leaveAfter !== undefined) continue
    const isLong = text.split(" ").length < asked.tokens
    expect(end, `a reply after "${text.slice(-20)}"`).toBe(isCut && isLong ? "broken" : "complete")
  }
}

/** One round: a server is asked to stop under load, and nothing has to be swept after it. */
const stopOnce = async (rig: CrashRig, seed: number, beyondDeadline: boolean): Promise<number> => {
  const chance = new Chance(seed)
  const more = beyondDeadline ? { PARLEY_DRAIN_SECONDS: String(DEADLINE_MS / 1_000) } : {}
  await using server = await rig.start({ more })
  const load = new ChatLoad(server.url, String(seed))
  const people = await load.signInAll()
  const running = load.run(people, chance, beyondDeadline ? BEYOND_DEADLINE_MS : SOON_MS)
  await sleep(chance.between(20, SOON_MS))
  const stopped = performance.now()
  server.process.child.kill("SIGTERM")
  // For a moment people go on asking.
  await sleep(chance.between(0, 200))
  load.stop()
  expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
  const took = performance.now() - stopped
  if (beyondDeadline) expect(took).toBeGreaterThan(DEADLINE_MS - 500)
  await running
  await rig.connectionsGone()
  expect(await rig.leftHolds()).toEqual([])
  judgeDelivery(load.records, beyondDeadline && took > DEADLINE_MS - 500)
  await judgePeople(rig, people, load.records)
  expect(await rig.differences()).toEqual([])
  return load.records.filter(({ messageId }) => messageId !== undefined).length
}

/**
 * Runs this many rounds on one database, the last of them with replies that exceed the deadline; returns the number of
 * replies.
 */
export const stopRounds = async (rounds: number, beyondDeadline: number, seed: number): Promise<number> => {
  await using rig = new CrashRig()
  let replies = 0
  for (let round = 0; round < rounds; round += 1) {
    const roundSeed = seed + round
    try {
      replies += await stopOnce(rig, roundSeed, round >= rounds - beyondDeadline)
    } catch (cause) {
      throw new Error(`Round ${round} failed; PARLEY_TEST_SEED=${roundSeed} plays it again first.`, { cause })
    }
  }
  return replies
}

/** Tokens of a reply, and the milliseconds before each. */
const LONG_REPLY = { tokens: 150, slowMs: 100 }

/**
 * With default settings a reply of 15 seconds outlasts the signal, whether or not its reader stays: it is delivered,
 * stored and charged whole.
 */
export const stopInLongReplies = async (): Promise<void> => {
  await using rig = new CrashRig()
  await using server = await rig.start()
  const load = new ChatLoad(server.url, "long")
  const [reader, leaver] = [await load.signIn("reader"), await load.signIn("leaver")]
  const reading = load.ask(reader, LONG_REPLY)
  const left = await load.ask(leaver, { ...LONG_REPLY, leaveAfter: 3, continues: true })
  server.process.child.kill("SIGTERM")
  const read = await reading
  expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
  const whole = spoken(LONG_REPLY.tokens)
  expect(read).toMatchObject({ end: "complete", text: whole })
  for (const record of [read, left]) {
    expect((await rig.replies(record.userId)).get(keyOf(record))).toEqual({ content: whole, state: "complete" })
    expect(await rig.charges(record.userId)).toMatchObject([
      { key: keyOf(record), receipt: { ended: "completed", usage: { output: LONG_REPLY.tokens } } }
    ])
  }
  expect(await rig.leftHolds()).toEqual([])
  expect(await rig.differences()).toEqual([])
}

/** For `PARLEY_SHUTDOWN_DELAY` seconds after the signal a server is not ready, and yet answers whole new replies. */
export const answerWhileStopping = async (): Promise<void> => {
  await using rig = new CrashRig()
  await using server = await rig.start({ more: { PARLEY_SHUTDOWN_DELAY: "5" } })
  const load = new ChatLoad(server.url, "late")
  const reader = await load.signIn("reader")
  server.process.child.kill("SIGTERM")
  await eventually("/readyz answers 503", async () =>
    (await fetch(`${server.url}/readyz`)).status === 503 ? true : undefined
  )
  expect(await load.ask(reader, { tokens: 20, slowMs: 1 })).toMatchObject({ end: "complete", text: spoken(20) })
  expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
  expect(await rig.leftHolds()).toEqual([])
}

/** A start takes about a second: stopped at any moment of it, a server ends, and leaves nothing in the way of the next. */
export const stopStarts = async (rounds: number, seed: number): Promise<void> => {
  await using rig = new CrashRig()
  for (let round = 0; round < rounds; round += 1) {
    await using server = new ParleyProcess(["serve"], rig.folder, { PORT: "0", ...rig.environment })
    await sleep(new Chance(seed + round).between(0, 1_500))
    server.child.kill("SIGTERM")
    const { exit, signal, stderr } = await server.ended
    // Before the program itself runs, the signal ends it at once.
    expect(exit === 0 || signal === "SIGTERM", `${exit} ${signal} ${stderr}`).toBe(true)
    expect(stderr).not.toContain("    at ")
  }
  await using server = await rig.start()
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
}

/** A silent database is not awaited; a sweep charges the open holds. */
export const stopWithoutDatabase = async (seed: number): Promise<void> => {
  await using rig = new CrashRig()
  await using database = await SilentWay.to(serverUrl)
  await using server = await rig.start({ port: database.port, more: { PARLEY_DRAIN_SECONDS: "2" } })
  const load = new ChatLoad(server.url, String(seed))
  const people = await load.signInAll()
  const running = load.run(people, new Chance(seed), SOON_MS)
  await sleep(SOON_MS / 3)
  database.fallSilent()
  server.process.child.kill("SIGTERM")
  load.stop()
  expect(await server.process.ended).toMatchObject({ exit: 1, signal: null })
  expect(server.process.stderr).toContain("could be closed in time")
  await running
  await rig.connectionsGone()
  expect(await rig.leftHolds()).not.toEqual([])
  await rig.sweep()
  expect(await rig.leftHolds()).toEqual([])
  expect(await rig.differences()).toEqual([])
}
