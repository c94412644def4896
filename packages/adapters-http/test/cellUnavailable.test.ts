import { failureFields, StorageFailed } from "@parley/core/adapter"
import { expect, it } from "vitest"
import { problemFrom } from "../src/problems/Problem.ts"
import { retryAfterHeaders } from "../src/problems/problemHeaders.ts"

const failed = (given: { readonly cell?: string; readonly retryAfterMs?: number }) =>
  new StorageFailed({ operation: "ChatStore.list", retryable: true, cause: new Error("secret"), ...given })

it("the log names the cell", () => {
  expect(failureFields(failed({ cell: "eu-7" }))).toMatchObject({ operation: "ChatStore.list", cell: "eu-7" })
})

it("a storage that names the cell which did not answer is a 503 with a pause, and its name is not in the response", () => {
  const problem = problemFrom(failed({ cell: "eu-7" }), "id")
  expect(problem).toMatchObject({ status: 503, code: "cell_unavailable" })
  expect(JSON.stringify(problem)).not.toMatch(/eu-7|secret/)
  expect(retryAfterHeaders(failed({ cell: "eu-7" }))).toEqual({ "retry-after": "5" })
  expect(retryAfterHeaders(failed({ cell: "eu-7", retryAfterMs: 9_000 }))).toEqual({ "retry-after": "9" })
  expect(problemFrom(failed({}), "id")).toMatchObject({ status: 500, code: "storage_unavailable" })
  expect(retryAfterHeaders(failed({}))).toEqual({})
})
