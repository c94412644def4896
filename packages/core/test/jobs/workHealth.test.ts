import { expect, test } from "vitest"
import { workFindings } from "../../src/jobs/WorkHealth.ts"

const fine = { alive: 2, lastSeenMs: 4_000, due: 0, oldestDueMs: undefined }
const statuses = (state: Parameters<typeof workFindings>[0]) => workFindings(state).map(({ status }) => status)

test("work with a living worker and no old job is well", () => {
  expect(statuses(fine)).toEqual(["ok", "ok"])
  expect(statuses({ ...fine, due: 3, oldestDueMs: 60_000 })).toEqual(["ok", "ok"])
})

test("a missing worker fails once one has run, or a job is due; before that none is missed", () => {
  expect(statuses({ ...fine, alive: 0 })).toEqual(["failed", "ok"])
  expect(statuses({ ...fine, alive: 0, lastSeenMs: undefined })).toEqual(["unused", "ok"])
  expect(statuses({ alive: 0, lastSeenMs: undefined, due: 1, oldestDueMs: 10 })).toEqual(["failed", "ok"])
})

test("a job that is due for over a minute fails, whether or not a worker lives", () => {
  expect(statuses({ ...fine, due: 1, oldestDueMs: 60_001 })).toEqual(["ok", "failed"])
  expect(workFindings({ ...fine, due: 7, oldestDueMs: 90_000 })[1]?.detail).toBe("7 are due, the oldest for 90 seconds")
})
