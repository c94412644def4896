import { errorStatuses } from "@parley/core"
import { expect, test } from "vitest"
import { problemTable } from "../src/problems/problemTable.ts"

test("every code that is answered has one status, which is the core's own where the core has the code", () => {
  const entries = Object.entries(problemTable)
  expect(entries.filter(([code]) => Object.hasOwn(errorStatuses, code)).length).toBeGreaterThan(50)
  for (const [code, { status }] of entries) {
    expect([code, Number.isInteger(status) && status >= 400 && status < 600]).toEqual([code, true])
    if (code in errorStatuses) expect([code, status]).toEqual([code, errorStatuses[code as keyof typeof errorStatuses]])
  }
})
