import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { type Fault, FaultyWire } from "../../../adapters-db/test/faults/FaultyWire.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import { Chance } from "./Chance.ts"
import { ChatLoad } from "./chatLoad.ts"
import { CrashRig, serverUrl } from "./CrashRig.ts"
import { judgePeople } from "./judgeRound.ts"

const LONGEST_MS = 2_500

/** Faults that a request survives if it is sent again. */
const PASSING = ["refused", "terminated", "cut before", "cut during", "cut after", "late"] as const

/** The statements that begin a turn, write a heartbeat, and end a reply with its charge. */
const OF_REPLIES = /begin_turn\(|running_reply_texts \(|write_credits\(/

/** Decides what happens to each request of a wire. */
class RandomFaults extends Map<number, Fault> {
  readonly #wire: FaultyWire
  readonly #chance: Chance
  readonly #percent: number
  met = 0

  constructor(wire: FaultyWire, chance: Chance, percent: number) {
    super()
    this.#wire = wire
    this.#chance = chance
    this.#percent = percent
  }

  override get(request: number): Fault | undefined {
    if (!OF_REPLIES.test(this.#wire.requests[request] ?? "")) return undefined
    if (this.#chance.between(0, 99) >= this.#percent) return undefined
    this.met += 1
    return this.#chance.pick(PASSING)
  }
}

/** The events of the rounds, which detects rounds without any. */
export interface MetFaults {
  readonly faults: number
  readonly replies: number
}

/** One round: a server under load whose statements of replies fail, are lost or lose their answers, at random. */
const faultOnce = async (rig: CrashRig, wire: FaultyWire, seed: number): Promise<MetFaults> => {
  const chance = new Chance(seed)
  await using server = await rig.start({ port: Number(new URL(wire.through(serverUrl)).port) })
  const load = new ChatLoad(server.url, String(seed))
  const people = await load.signInAll()
  const faults = new RandomFaults(wire, chance, chance.between(5, 30))
  wire.start(faults)
  const running = load.run(people, chance, LONGEST_MS)
  await sleep(LONGEST_MS)
  // Some are asked to stop while their ends are tried again.
  const stops = chance.next() < 0.5
  if (stops) server.process.child.kill("SIGTERM")
  load.stop()
  await running
  const met = { faults: faults.met, replies: load.records.filter(({ messageId }) => messageId !== undefined).length }
  if (stops) expect(await server.process.ended).toMatchObject({ exit: 0, signal: null })
  else wire.start()
  // A hold whose answer was lost, with its request, is for a sweeper.
  if (stops) {
    expect((await rig.leftHolds()).filter(({ recorded }) => recorded > 0)).toEqual([])
    await rig.sweep()
  }
  await eventually("all replies to end", async () => ((await rig.leftHolds()).length === 0 ? true : undefined))
  wire.start()
  await wire.settled()
  await judgePeople(rig, people, load.records)
  expect(await rig.differences()).toEqual([])
  return met
}

/** Runs this many rounds on one database; the seed of a round reproduces its load. */
export const faultRounds = async (rounds: number, seed: number): Promise<ReadonlyArray<MetFaults>> => {
  await using rig = new CrashRig()
  await using wire = await FaultyWire.open(serverUrl)
  const all: Array<MetFaults> = []
  for (let round = 0; round < rounds; round += 1) {
    try {
      all.push(await faultOnce(rig, wire, seed + round))
    } catch (cause) {
      throw new Error(`Round ${round} failed; PARLEY_TEST_SEED=${seed + round} plays it again first.`, { cause })
    }
  }
  return all
}
