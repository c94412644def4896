import { expect } from "vitest"
import { Chance } from "../crash/Chance.ts"
import { eventually, type ParleyProcess } from "../processes/ParleyProcess.ts"
import { ReindexRig } from "./ReindexRig.ts"
import { type Moment, type WatchedWork, watchWork } from "./watchWork.ts"

/** Of a few requests to the provider, of several statements, and of one of each. */
const DOCUMENTS = [
  { name: "one", passages: 40 },
  { name: "two", passages: 130 },
  { name: "three", passages: 3 },
  { name: "four", passages: 40 }
]
/** Texts of a document whose responses a dead process may lose: those of its running requests, and no others. */
const LOST_AT_MOST = 4 * 8
/** Long enough for several requests to be under way at once, milliseconds. */
const PROVIDER_MS = 20
/** A slow run on a busy machine is no failure: this limit only ends a hanging one. */
const PATIENCE_MS = 600_000
/** Every third kill is near a switch: before it, within its transaction, or after it. */
const BESIDE_A_SWITCH = [0, 1, 2, "ended"] as const

/** Counts of the situations that the rounds met, which detect rounds without events. */
export interface MetKill {
  /** The next step at the kill; undefined if all were complete. */
  readonly killedAt: string | undefined
  /** Texts that were paid for when the process was killed, of all there were to pay for. */
  readonly paid: number
  readonly of: number
  /** Texts that were paid for twice. */
  readonly twice: number
}

const areReady = async (rig: ReindexRig) =>
  (await rig.query("SELECT FROM $schema.documents WHERE status <> 'ready'")).length === 0

/** Waits until every document is ready by a worker that runs. */
const allReady = (rig: ReindexRig, worker: ParleyProcess) =>
  eventually(
    "every document to be ready",
    async () => {
      if (worker.child.exitCode !== null) throw new Error(`The worker ended by itself: ${worker.stderr}`)
      return (await areReady(rig)) ? true : undefined
    },
    PATIENCE_MS
  )

/** Starts a command that is killed at a moment, or after it has completed; returns its next step. */
const killAt = async (
  rig: ReindexRig,
  argv: ReadonlyArray<string>,
  model: string,
  plan: { readonly moment: Moment; readonly arrives: boolean },
  isDone: () => Promise<boolean>
): Promise<WatchedWork> => {
  await using victim = rig.process(argv, rig.watched(rig.environment(model)))
  const seen = watchWork(rig, { ...plan, kill: () => void victim.child.kill("SIGKILL") })
  await eventually(
    "the process to be killed or done",
    async () => (seen.killedAt !== undefined || victim.child.exitCode !== null || (await isDone()) ? true : undefined),
    PATIENCE_MS
  )
  victim.child.kill("SIGKILL")
  await victim.ended
  return seen
}

interface Cost {
  /** Texts that were paid for. */
  readonly paid: number
  /** The number of those whose embeddings were not stored. */
  readonly lost: number
}

/** The embeddings that were paid until a process was killed, including the provider's last responses. */
const costOf = async (rig: ReindexRig, model: string): Promise<Cost> => {
  const texts = await eventually(
    "the provider to fall silent",
    () => (rig.provider.underWay === 0 ? rig.provider.of(model) : undefined),
    PATIENCE_MS
  )
  const kept = await rig.query<{ filename: string; kept: number }>(
    `SELECT d.filename, count(*)::integer AS kept FROM $schema.passage_embeddings e
     JOIN $schema.documents d ON d.user_id = e.user_id AND d.id = e.document_id WHERE e.model = $1 GROUP BY 1`,
    [`openai/${model}/8`]
  )
  let lost = 0
  for (const { name } of DOCUMENTS) {
    const paid = texts.filter((text) => text.includes(` of ${name} `)).length
    const here = paid - (kept.find(({ filename }) => filename === `${name}.txt`)?.kept ?? 0)
    expect(here, `texts of ${name} whose embeddings were not kept`).toBeLessThanOrEqual(LOST_AT_MOST)
    lost += Math.max(0, here)
  }
  return { paid: texts.length, lost }
}

/** Nothing that was kept is paid for again. */
const met = (
  rig: ReindexRig,
  model: string,
  { cost, of, seen }: { readonly cost: Cost; readonly of: number; readonly seen: WatchedWork }
): MetKill => {
  const texts = rig.provider.of(model)
  expect(new Set(texts).size).toBe(of)
  const twice = texts.length - of
  expect(twice, "texts that were paid for twice").toBeLessThanOrEqual(cost.lost)
  return { killedAt: seen.killedAt, paid: cost.paid, of, twice }
}

const upload = async (rig: ReindexRig) => {
  for (const { name, passages } of DOCUMENTS) await rig.upload([name], passages)
}

/** An undisturbed worker, until every document is ready; returns the number of its steps. */
const workToTheEnd = async (rig: ReindexRig, model: string): Promise<number> => {
  await using worker = rig.process(["work"], rig.watched(rig.environment(model)))
  const seen = watchWork(rig)
  await allReady(rig, worker)
  const { steps } = seen
  worker.child.kill("SIGTERM")
  await worker.ended
  return steps
}

const reindexToTheEnd = async (rig: ReindexRig, model: string): Promise<number> => {
  const seen = watchWork(rig)
  await using next = rig.process(["reindex", "--json"], rig.watched(rig.environment(model)))
  const { exit, stderr, stdout } = await next.ended
  expect([exit, stderr]).toEqual([0, ""])
  expect(JSON.parse(stdout)).toMatchObject({ left: 0, undone: [] })
  return seen.steps
}

interface Killed {
  readonly model: string
  readonly moment: Moment
  readonly arrives: boolean
}

/** Documents whose indexing is killed, and completed by the next process. */
const killIndexing = async (rig: ReindexRig, { model, ...plan }: Killed): Promise<MetKill> => {
  await upload(rig)
  const seen = await killAt(rig, ["work"], model, plan, () => areReady(rig))
  expect(await rig.torn()).toEqual([])
  const cost = await costOf(rig, model)
  await workToTheEnd(rig, model)
  expect(await rig.unsound(model)).toEqual([])
  return met(rig, model, { cost, seen, of: (await rig.passages()).length })
}

/** The same documents, whose re-indexing by another model is killed, and completed by the next run. */
const killReindexing = async (rig: ReindexRig, { model, ...plan }: Killed): Promise<MetKill> => {
  const before = await rig.passages()
  const seen = await killAt(rig, ["reindex"], model, plan, () => Promise.resolve(false))
  expect(await rig.torn()).toEqual([])
  // Meanwhile no passage is missing or duplicated.
  expect(await rig.passages()).toEqual(before)
  const cost = await costOf(rig, model)
  await reindexToTheEnd(rig, model)
  expect(await rig.passages()).toEqual(before)
  expect(await rig.unsound(model)).toEqual([])
  return met(rig, model, { cost, seen, of: before.length })
}

/**
 * Moments spread evenly over the steps of an undisturbed run, one in each part of it, in addition to those at a
 * switch; `round` of `rounds`.
 */
const momentOf = (chance: Chance, round: number, rounds: number, steps: number): Omit<Killed, "model"> => {
  const arrives = chance.next() < 0.5
  if (round % 3 === 2) {
    const turn = Math.floor(round / 3)
    const requests = BESIDE_A_SWITCH[turn % BESIDE_A_SWITCH.length] ?? "ended"
    // Each with another document when its turn comes again.
    const switchNumber = (turn + Math.floor(turn / BESIDE_A_SWITCH.length)) % DOCUMENTS.length
    return { arrives, moment: { switchNumber, requests } }
  }
  return { arrives, moment: { step: Math.floor(((round + chance.next()) * steps) / rounds) } }
}

/**
 * Runs this many rounds one after another on one schema, each with a kill during indexing and one during re-indexing.
 * The passages of every round must equal those of the first, undisturbed one.
 */
export const reindexRounds = async (
  rounds: ReadonlyArray<number>,
  of: number,
  seed: number
): Promise<ReadonlyArray<MetKill>> => {
  await using rig = await ReindexRig.start()
  const all: Array<MetKill> = []
  rig.provider.delayMs = PROVIDER_MS
  await upload(rig)
  const indexing = await workToTheEnd(rig, "undisturbed")
  const textsOf = async () => (await rig.passages()).map(({ document_id: _id, ...rest }) => rest)
  const sorted = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    rows.map((row) => JSON.stringify(row)).toSorted()
  const undisturbed = sorted(await textsOf())
  const reindexing = await reindexToTheEnd(rig, "undisturbed again")
  for (const round of rounds) {
    const chance = new Chance(seed + round)
    try {
      await rig.query("DELETE FROM $schema.documents")
      const model = `indexed${round}`
      all.push(await killIndexing(rig, { model, ...momentOf(chance, round, of, indexing) }))
      expect(sorted(await textsOf())).toEqual(undisturbed)
      const again = `reindexed${round}`
      all.push(await killReindexing(rig, { model: again, ...momentOf(chance, round, of, reindexing) }))
    } catch (cause) {
      throw new Error(`Round ${round} failed; PARLEY_TEST_SEED=${seed} plays it again.`, { cause })
    }
  }
  return all
}
