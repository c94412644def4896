import { randomUUID } from "node:crypto"
import { dropRun } from "../../packages/adapters-db/test/retiredDatabases.ts"
import { RUN } from "../../packages/adapters-db/test/templateName.ts"

/** Names the run; its first suite on Postgres creates the template database that the others copy. */
export const setup = (): void => {
  process.env[RUN] = randomUUID().replaceAll("-", "")
}

/** Drops the databases that the run created on Postgres. */
export const teardown = async (): Promise<void> => {
  if ((process.env["TEST_DATABASE_URL"] ?? "") !== "") await dropRun()
}
