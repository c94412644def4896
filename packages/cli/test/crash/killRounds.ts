import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { Chance } from "./Chance.ts"
import { ChatLoad, type ChatRecord } from "./chatLoad.ts"
import { CrashRig } from "./CrashRig.ts"
import { counted, judgePeople, keyOf, replyKeyOf, spoken } from "./judgeRound.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import type { RunningServer } from "../processes/RunningServer.ts"

/** Replies run for up to this long, and the kill comes before: long enough for some heartbeats. */
const LONGEST_MS = 4_000

/** Counts of the situations that the rounds met, which detect rounds without events. */
export interface Met {
  readonly replies: number
  readonly leftHolds: number
  readonly recorded: number
}

/** Checks that a request repeated under its key gets the first reply or a replacement, and is charged once in all. */
const judgeRepetition = async (rig: CrashRig, load: ChatLoad, first: ChatRecord): Promise<void> => {
  const person = await load.signIn(first.userId.slice(0, first.userId.lastIndexOf("-")))
  const before = await rig.charges(first.userId)
  const again = await load.ask(person, first.asked)
  const after = await rig.charges(first.userId)
  const what = `${first.userId}, ${first.end}, then ${again.status} ${again.end}`
  expect(after, what).toHaveLength(1)
  if (before.length === 1) expect(after, what).toEqual(before)
  const whole = again.end === "complete" && again.status === 200
  if (whole) expect(again.text, what).toBe(spoken(first.asked.tokens))
  if (after[0]?.receipt.ended === "completed") expect(whole, what).toBe(true)
  // No process writes it: it must not remain in progress.
  expect(again.status, what).not.toBe(409)
}

/** In one of this many rounds the server itself sweeps, which takes longer. */
const SWEPT_BY_SERVER = 12

const sweep = async (rig: CrashRig, round: number): Promise<void> => {
  if (round % SWEPT_BY_SERVER > 0) await rig.sweep()
  await eventually("all holds to be swept", async () => ((await rig.leftHolds()).length === 0 ? true : undefined))
}

/** Signals that follow within an instant count as one: the second is sent until it is heard. */
const SECOND_SIGNAL_MS = 250

/** Ends the process at once, mostly by SIGKILL, sometimes by a second SIGTERM; returns the time. */
const die = async ({ process: { child, ended } }: RunningServer, chance: Chance): Promise<number> => {
  const impatient = chance.next() < 0.1
  if (impatient) {
    child.kill("SIGTERM")
    await sleep(SECOND_SIGNAL_MS)
  }
  const at = performance.now()
  do child.kill(impatient ? "SIGTERM" : "SIGKILL")
  while ((await Promise.race([ended, sleep(SECOND_SIGNAL_MS)])) === undefined)
  const { exit, signal } = await ended
  // A server with little to do has ended in order before the second signal.
  expect(impatient ? [0, 143] : ["SIGKILL"]).toContain(impatient ? exit : signal)
  return at
}

/** Waits until the output that was delivered before the call is recorded for all running replies; returns it. */
const untilRecorded = async (rig: CrashRig, load: ChatLoad): Promise<ReadonlyMap<string, string>> => {
  const written = load.records.filter(({ end, messageId }) => end === undefined && messageId !== undefined)
  const delivered = new Map(written.map((record) => [keyOf(record), record.text]))
  return eventually("what was delivered to be recorded", async () => {
    const recorded = new Map((await rig.leftHolds()).map((hold) => [replyKeyOf(hold.key), hold.recorded]))
    const isRecorded = ([key, text]: readonly [string, string]) => (recorded.get(key) ?? Infinity) >= counted(text)
    return [...delivered].every(isRecorded) ? delivered : undefined
  })
}

/** One round on a running server: load, a kill, a restart and a sweep; returns the restarted server. */
const killOnce = async (rig: CrashRig, server: RunningServer, seed: number, judgesLateness: boolean) => {
  const round = String(seed)
  const chance = new Chance(seed)
  const load = new ChatLoad(server.url, round)
  const people = await load.signInAll()
  const running = load.run(people, chance, LONGEST_MS)
  await sleep(chance.between(20, LONGEST_MS))
  // Some are killed at any moment, others when the heartbeats have recorded something.
  const delivered = chance.next() < 0.5 ? await untilRecorded(rig, load) : new Map<string, string>()
  const at = await die(server, chance)
  load.stop()
  await running
  await rig.connectionsGone()
  const left = await rig.leftHolds()

  const next = await rig.start()
  await sweep(rig, seed)
  await judgePeople(rig, people, load.records, { at, left, delivered, judgesLateness })
  const later = new ChatLoad(next.url, round)
  for (const { userId } of [people.twin, people["other-twin"]]) {
    const first = load.records.find((record) => record.userId === userId)
    if (first !== undefined) await judgeRepetition(rig, later, first)
  }
  expect(await rig.differences()).toEqual([])
  const met: Met = {
    replies: load.records.filter(({ messageId }) => messageId !== undefined).length,
    leftHolds: left.length,
    recorded: left.filter(({ recorded }) => recorded > 0).length
  }
  return { next, met }
}

/**
 * Runs this many rounds one after another on one database; the seed of a round reproduces its load and its moment.
 * With `judgesLateness`, heartbeats have to be on time, which requires a machine that is not too busy.
 */
export const killRounds = async (
  rounds: number,
  seed: number,
  { judgesLateness = false } = {}
): Promise<ReadonlyArray<Met>> => {
  await using rig = new CrashRig()
  let server = await rig.start()
  const all: Array<Met> = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      const roundSeed = seed + round
      try {
        const { next, met } = await killOnce(rig, server, roundSeed, judgesLateness)
        server = next
        all.push(met)
      } catch (cause) {
        throw new Error(`Round ${round} failed; PARLEY_TEST_SEED=${roundSeed} plays it again first.`, { cause })
      }
    }
    expect(await rig.parley(["credits", "sweep"])).toMatchObject({ exit: 0 })
    expect(await rig.parley(["credits", "verify"])).toMatchObject({ exit: 0 })
    server.process.child.kill("SIGTERM")
    expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
  } finally {
    await server[Symbol.asyncDispose]()
  }
  return all
}
