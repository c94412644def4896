import { describe, expect, it } from "vitest"
import { brokenPromises, numberingProblems, parseFrozen, printFrozen } from "../tooling/migrations/frozenMigrations.ts"

const frozen = [
  { id: "0001_roles", checksum: "aa" },
  { id: "0002_chats", checksum: "bb" }
]

describe("the list of applied migrations", () => {
  it("is read as it was written", () => {
    expect(parseFrozen(printFrozen(frozen))).toEqual(frozen)
  })

  it("allows new migrations, and names each one that was changed or removed", () => {
    expect(brokenPromises(frozen, [...frozen, { id: "0003_bots", checksum: "cc" }])).toEqual([])
    expect(brokenPromises(frozen, [{ id: "0002_chats", checksum: "dd" }])).toEqual([
      "0001_roles was removed. Restore it: schemas have applied it.",
      "0002_chats was changed. Restore it, and write the change as a new migration."
    ])
  })

  it("has no gap in the numbers", () => {
    expect(numberingProblems(frozen)).toEqual([])
    expect(numberingProblems([...frozen, { id: "0005_bots", checksum: "cc" }])).toEqual([
      "0005_bots has to be numbered 0003."
    ])
  })
})
