import { newUserId } from "@parley/core/testing"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { openAccount, spend } from "./peopleOfCells.ts"
import { CELLS, inWorld } from "./restoredWorld.ts"

const VERIFICATIONS = 40

describe.runIf(hasPostgres)("the verification of cells while people move and spend", { timeout: 300_000 }, () => {
  it("finds no ledger that a move has cut off", () =>
    inWorld(async (world) => {
      const stores = await world.server()
      const people = Array.from({ length: 9 }, newUserId)
      for (const person of people) await openAccount(stores, person)
      let isVerified = false
      const travel = async (person: string) => {
        for (let turn = 0; !isVerified; turn += 1) {
          await stores.move(person, CELLS[(turn + 1) % CELLS.length] ?? "first").catch(() => undefined)
          await spend(stores, person, `${turn}`).catch(() => undefined)
        }
      }
      const travels = people.map(travel)
      const differing: Array<string> = []
      for (let time = 0; time < VERIFICATIONS; time += 1)
        differing.push(...(await world.verify()).flatMap(([owner, problem]) => (problem === "differs" ? [owner] : [])))
      isVerified = true
      await Promise.all(travels)
      expect(differing).toEqual([])
      expect(await world.verify()).toEqual([])
    }))
})
