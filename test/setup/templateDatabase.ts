import { randomUUID } from "node:crypto"
import { administer } from "../../packages/adapters-db/test/administer.ts"
import { RUN, templateName } from "../../packages/adapters-db/test/templateName.ts"

/** Names the run, whose first suite on Postgres makes the database that the others copy. */
export const setup = (): void => {
  process.env[RUN] = randomUUID().replaceAll("-", "")
}

/** Takes away what was copied. */
export const teardown = async (): Promise<void> => {
  if ((process.env["TEST_DATABASE_URL"] ?? "") === "") return
  await administer(`DROP DATABASE IF EXISTS ${templateName()} WITH (FORCE)`)
}
