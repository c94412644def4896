import { openDatabase } from "@parley/adapters-db"
import { chatModels } from "@parley/adapters-llm"
import { createParley, type Parley } from "@parley/core"

/** The same in every process, except for `work`. */
export const openParley = async ({ work }: { readonly work: boolean }): Promise<Parley> =>
  createParley({ ...(await openDatabase({ url: process.env["DATABASE_URL"] })), models: chatModels(), work })
