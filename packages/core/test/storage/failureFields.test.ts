import { StorageFailed } from "@parley/core/adapter"
import { expect, it } from "vitest"
import { failureFields } from "../../src/storage/failureFields.ts"

const SECRET = "insert into chats values ('my secret')"

it("what is logged of a failure names it, its operation, SQLSTATE and constraint, and repeats no word of the driver", () => {
  const cause = Object.assign(new Error(SECRET), { sqlState: "23505", constraint: "chats_pkey", detail: SECRET })
  expect(failureFields(new StorageFailed({ operation: "ChatStore.list", retryable: false, cause }))).toEqual({
    failure: "StorageFailed",
    operation: "ChatStore.list",
    sqlState: "23505",
    constraint: "chats_pkey"
  })
  const posing = { name: SECRET, operation: SECRET, cause: { sqlState: SECRET, constraint: SECRET } }
  for (const [error, failure] of [
    [posing, "unknown"],
    [new TypeError(SECRET), "TypeError"],
    [undefined, "unknown"]
  ]) {
    expect(failureFields(error)).toEqual({ failure })
  }
})
