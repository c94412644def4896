import { runtimeOf } from "@parley/core/effect"
import { parleyFetch } from "@parley/adapters-http"
import { chatModels } from "@parley/adapters-llm"
import { createParley, openInMemory } from "@parley/core"
import { personOf } from "./personOf.ts"

const open = async () => {
  const parley = await createParley({ ...(await openInMemory()), models: chatModels() })
  const handler = parleyFetch({ runtime: runtimeOf(parley), baseUrl: "http://localhost:3000", authenticate: personOf })
  return { parley, handler }
}

const kept = globalThis as { opened?: ReturnType<typeof open> }

/** Opened by the first request, not by a build that imports this; a development server's reloads find it again. */
export const opened = (): ReturnType<typeof open> => (kept.opened ??= open())
