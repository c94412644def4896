import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { Chance } from "../crash/Chance.ts"
import { eventually, type ParleyProcess } from "../processes/ParleyProcess.ts"
import { ReindexRig } from "./ReindexRig.ts"

const PASSAGES = 40
const NAMES = ["one", "two", "three", "four"]
/** Texts whose answers may be lost with a process: those of the requests it had under way, and none else. */
const LOST_AT_MOST = 4 * 8
/** A run takes about so long with the provider's delay, in milliseconds: kills fall within it. */
const RUN_MS = 1_500

/** What the rounds met, so that rounds in which nothing happened are noticed. */
export interface MetKill {
  /** Texts that were paid for when the process was killed, of all there were to pay for. */
  readonly paid: number
  readonly of: number
  /** Texts that were paid for twice. */
  readonly twice: number
}

/** Kills a process some time after it has begun to work, or at any moment of its life; gives whether it was still alive. */
const killSometime = async (rig: ReindexRig, victim: ParleyProcess, chance: Chance): Promise<boolean> => {
  const { requests } = rig.provider
  const began = eventually("the process to ask or end", () =>
    rig.provider.requests > requests || victim.child.exitCode !== null ? true : undefined
  )
  await (chance.next() < 0.85 ? began : sleep(chance.between(200, 2_000)))
  await sleep(chance.between(0, RUN_MS))
  victim.child.kill("SIGKILL")
  const { signal } = await victim.ended
  await began.catch(() => undefined)
  return signal === "SIGKILL"
}

/** Waits until every document is ready by a worker that runs. */
const allReady = (rig: ReindexRig, worker: ParleyProcess) =>
  eventually("every document to be ready", async () => {
    if (worker.child.exitCode !== null) throw new Error(`The worker ended by itself: ${worker.stderr}`)
    const others = await rig.query("SELECT FROM $schema.documents WHERE status <> 'ready'")
    return others.length === 0 ? true : undefined
  })

/** What was paid for by now; what the provider still answers of a dead process is paid for as well. */
const settled = (rig: ReindexRig, model: string) =>
  eventually("the provider to fall silent", () =>
    rig.provider.underWay === 0 ? rig.provider.of(model).length : undefined
  )

const met = (rig: ReindexRig, model: string, paid: number, of: number): MetKill => {
  const texts = rig.provider.of(model)
  expect(new Set(texts).size).toBe(of)
  const twice = texts.length - of
  expect(twice).toBeLessThanOrEqual(LOST_AT_MOST)
  return { paid, of, twice }
}

/** Documents whose indexing is killed, and done by the next process. */
const killIndexing = async (rig: ReindexRig, chance: Chance, model: string): Promise<MetKill> => {
  await rig.upload(NAMES, PASSAGES)
  const environment = rig.environment(model)
  await using victim = rig.process(["work"], environment)
  await killSometime(rig, victim, chance)
  const paid = await settled(rig, model)
  await using next = rig.process(["work"], environment)
  await allReady(rig, next)
  next.child.kill("SIGTERM")
  await next.ended
  expect(await rig.unsound(model)).toEqual([])
  return met(rig, model, paid, (await rig.passages()).length)
}

/** The same documents, whose re-indexing by another model is killed, and done by the next run. */
const killReindexing = async (rig: ReindexRig, chance: Chance, model: string): Promise<MetKill> => {
  const before = await rig.passages()
  const environment = rig.environment(model)
  await using victim = rig.process(["reindex"], environment)
  await killSometime(rig, victim, chance)
  const paid = await settled(rig, model)
  // Not one passage less meanwhile, and none twice.
  expect(await rig.passages()).toEqual(before)
  await using next = rig.process(["reindex", "--json"], environment)
  const { exit, stderr, stdout } = await next.ended
  expect([exit, stderr]).toEqual([0, ""])
  expect(JSON.parse(stdout)).toMatchObject({ left: 0, undone: [] })
  expect(await rig.passages()).toEqual(before)
  expect(await rig.unsound(model)).toEqual([])
  return met(rig, model, paid, before.length)
}

/**
 * So many rounds one after another on one schema, each with a kill while documents are indexed and one while they are
 * re-indexed. The passages of every round are those of the first, which nothing disturbs.
 */
export const reindexRounds = async (rounds: number, seed: number): Promise<ReadonlyArray<MetKill>> => {
  await using rig = await ReindexRig.start()
  const all: Array<MetKill> = []
  await rig.upload(NAMES, PASSAGES)
  {
    await using worker = rig.process(["work"], rig.environment("undisturbed"))
    await allReady(rig, worker)
    worker.child.kill("SIGTERM")
    await worker.ended
  }
  const textsOf = async () => (await rig.passages()).map(({ document_id: _id, ...rest }) => rest)
  const sorted = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    rows.map((row) => JSON.stringify(row)).toSorted()
  const undisturbed = sorted(await textsOf())
  rig.provider.delayMs = 200
  for (let round = 0; round < rounds; round += 1) {
    const chance = new Chance(seed + round)
    try {
      await rig.query("DELETE FROM $schema.documents")
      all.push(await killIndexing(rig, chance, `indexed${round}`))
      expect(sorted(await textsOf())).toEqual(undisturbed)
      all.push(await killReindexing(rig, chance, `reindexed${round}`))
    } catch (cause) {
      throw new Error(`Round ${round} failed; PARLEY_TEST_SEED=${seed + round} plays it again first.`, { cause })
    }
  }
  return all
}
