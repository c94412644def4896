import { errorStatuses } from "@parley/core"
import { expect, test } from "vitest"
import { problemTable } from "../src/problems/problemTable.ts"

test("a code has the same status for whoever embeds Parley as over HTTP", () => {
  const shared = Object.entries(problemTable).filter(([code]) => Object.hasOwn(errorStatuses, code))
  expect(shared.length).toBeGreaterThan(30)
  for (const [code, { status }] of shared) {
    expect({ code, status: errorStatuses[code as keyof typeof errorStatuses] }).toEqual({ code, status })
  }
})
