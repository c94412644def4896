import { newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import type { MoveStep } from "../../src/cells/moving/moveOwner.ts"
import type { OpenCells } from "../../src/cells/openCells.ts"
import { hasPostgres } from "../databases.ts"
import { STEPS } from "./movingOwners.ts"
import { balanceOf, openAccount, spend } from "./peopleOfCells.ts"
import { CELLS, type CellName, inWorld, type World } from "./restoredWorld.ts"

/** The global database, whose rows since the backup are lost. */
const RESTORED = "first"

/** A person's cells, and the last move, which dies. */
interface Trip {
  readonly id: string
  /** The cell of the bucket, and so of the restored directory. */
  readonly bucket: CellName
  /** The cells in which the person lives one after another since the backup. */
  readonly path: ReadonlyArray<CellName>
  readonly to: CellName
  /** The person has an account before the backup. */
  readonly isEarly: boolean
  /** Former cells erase the rows before the last move. */
  readonly isErased: boolean
  readonly step: MoveStep
}

class Traveller {
  readonly trip: Trip
  /** The balances in the rows of each cell that a restore leaves. */
  readonly balances = new Map<CellName, number>()
  #balance = 100

  constructor(trip: Trip) {
    this.trip = trip
  }

  get from() {
    return this.trip.path.at(-1) ?? this.trip.bucket
  }

  get story() {
    const { bucket, isEarly, isErased, path, step, to } = this.trip
    return [bucket, isEarly ? "early" : "late", ...path, isErased ? "erased" : "kept", to, step].join(" ")
  }

  /** What survives of a copy in a cell. */
  copied(cell: CellName) {
    if (cell !== RESTORED) this.balances.set(cell, this.#balance)
  }

  left(cell: CellName) {
    if (cell !== RESTORED) this.balances.delete(cell)
  }

  async pay(stores: OpenCells, cell: CellName) {
    await spend(stores, this.trip.id, `${this.#balance}`)
    this.#balance -= 5
    this.copied(cell)
  }

  /** Lives in one cell after another. */
  async travel(stores: OpenCells) {
    const { bucket, id, isEarly, isErased, path } = this.trip
    if (isEarly) this.balances.set(bucket, this.#balance)
    else await openAccount(stores, id)
    await this.pay(stores, bucket)
    let former = bucket
    for (const cell of path) {
      await stores.move(id, cell)
      if (isErased) this.left(former)
      await this.pay(stores, cell)
      former = cell
    }
  }

  /** Notes the last move. */
  async arrive(stores: OpenCells) {
    const { step, to } = this.trip
    const steps = STEPS.indexOf(step)
    if (steps >= STEPS.indexOf("cleared")) this.left(to)
    if (steps >= STEPS.indexOf("copied")) this.copied(to)
    if (steps >= STEPS.indexOf("home")) await this.pay(stores, to)
  }
}

/** People with each cell of the directory, each last move, with and without a stay elsewhere before it; steps in turn. */
const travellers = (turn: number) => {
  const stepOf = (place: number) => STEPS[(place + turn) % STEPS.length] ?? expect.fail()
  const all: Array<Traveller> = []
  for (const bucket of CELLS)
    for (const from of CELLS)
      for (const to of CELLS.filter((cell) => cell !== from))
        for (const isDirect of [true, false]) {
          const others = CELLS.filter((cell) => cell !== bucket && cell !== from)
          const stay = others.includes(to) ? to : (others[0] ?? to)
          const path = isDirect ? (from === bucket ? [] : [from]) : [stay, from]
          for (const isEarly of [true, false])
            for (const isErased of path.length > 0 ? [true, false] : [false])
              all.push(
                new Traveller({ id: newUserId(), bucket, path, to, isEarly, isErased, step: stepOf(all.length) })
              )
        }
  // Each of another bucket.
  return all.filter(({ trip }, at) => all.findIndex((other) => bucketOf(other.trip.id) === bucketOf(trip.id)) === at)
}

/** Reasons why a person is not served with the newest rows that the restore has left; none if all is well. */
const troubleOf = async (stores: OpenCells, { balances, story, trip: { id } }: Traveller) => {
  const newest = balances.size === 0 ? undefined : Math.min(...balances.values())
  if (newest === undefined) await openAccount(stores, id).catch(() => undefined)
  const trouble: Array<string> = []
  const balance = await balanceOf(stores, id).catch(() => undefined)
  if (balance === undefined || balance > (newest ?? 100)) trouble.push(`${story}: ${balance} instead of ${newest}`)
  if (balance !== undefined) await spend(stores, id, "last").catch(() => trouble.push(`${story}: refused`))
  return trouble
}

const travelAll = async (world: World, stores: OpenCells, people: ReadonlyArray<Traveller>) => {
  for (const [cell, living] of Map.groupBy(people, ({ trip }) => trip.bucket))
    await stores.assign(
      cell,
      living.map(({ trip }) => bucketOf(trip.id))
    )
  for (const {
    trip: { id, isEarly }
  } of people)
    if (isEarly) await openAccount(stores, id)
  const restore = await world.backup()
  for (const person of people) if (person.trip.isErased) await person.travel(stores)
  await stores.eraseMoved({ olderThanMs: 0 })
  for (const person of people) if (!person.trip.isErased) await person.travel(stores)
  await world.interruptMoves(people.map(({ from, trip }) => ({ owner: trip.id, from, to: trip.to, at: trip.step })))
  for (const person of people) await person.arrive(stores)
  await restore()
}

/** The turns to play, of 0 to 10: in each, each person's move dies at one step, and over all of them at each. */
const TURNS = (process.env["PARLEY_TEST_TURNS"] ?? "0").split(",").map(Number)

describe.runIf(hasPostgres)(
  "people whose move died before a restore of the global database",
  { timeout: 900_000 },
  () => {
    it.each(TURNS)("have one account after the repair, the newest that is left, and can write (turn %d)", (turn) =>
      inWorld(async (world) => {
        const people = travellers(turn)
        await travelAll(world, await world.server(), people)
        // The first repair is interrupted half-way.
        let findings = 0
        const interrupt = Effect.suspend(() => ((findings += 1) > 20 ? Effect.fail("interrupted") : Effect.void))
        await expect(world.repair(() => interrupt)).rejects.toBe("interrupted")
        await world.repair()
        const after = await world.server()
        const stories = new Map(people.map(({ story, trip }) => [trip.id, story]))
        const unfinished = await after.unfinishedMoves()
        expect(unfinished.map(({ owner, state }) => [stories.get(owner), state])).toEqual([])
        await after.eraseMoved({ olderThanMs: 0 })
        expect((await world.verify()).map(([owner, problem]) => [stories.get(owner), problem])).toEqual([])
        const troubles: Array<string> = []
        for (const person of people) troubles.push(...(await troubleOf(after, person)))
        expect(troubles).toEqual([])
      })
    )
  }
)
