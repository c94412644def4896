import { expect, it } from "vitest"
import { DatabaseError } from "../../src/database/Database.ts"

it.each([
  ["28P01", "The database refused the connection (SQLSTATE 28P01)."],
  ["53300", "The database refused the connection (SQLSTATE 53300)."],
  ["57P03", "The database refused the connection (SQLSTATE 57P03)."],
  ["3D000", "The database refused the connection (SQLSTATE 3D000)."],
  ["23505", "The database refused a statement (SQLSTATE 23505)."],
  ["57014", "The database refused a statement (SQLSTATE 57014)."],
  [undefined, "The database cannot be reached, or the connection to it was lost."]
])("a failure of the database says whether it was the connection or a statement: %s", (sqlState, message) => {
  const cause = new Error("what the driver says")
  expect(new DatabaseError(sqlState === undefined ? { cause } : { sqlState, cause }).message).toBe(message)
})
