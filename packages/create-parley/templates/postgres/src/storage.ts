import { openDatabase } from "@parley/adapters-db"

/** Connects to the Postgres server of `DATABASE_URL`. Parley's tables are in the schema `parley`. */
export const openStorage = () => {
  const url = process.env["DATABASE_URL"]
  if (!url) throw new Error("Set DATABASE_URL in .env.")
  return openDatabase({ url })
}
