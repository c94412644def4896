import { parleyFetch } from "@parley/adapters-http"
import { chatModels } from "@parley/adapters-llm"
import { createParley, openInMemory } from "@parley/core"
import { personOf } from "./personOf.ts"

export const parley = await createParley({ ...(await openInMemory()), models: chatModels() })
const handler = parleyFetch({ runtime: parley.runtime, baseUrl: "http://localhost:3000", authenticate: personOf })

const answer = (request: Request): Promise<Response> => handler(request)
export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
