import { opened } from "./parley.ts"
import { GET, POST } from "./route.ts"

/** Plays the framework: passes requests on, and returns the responses. */
const call = (method: typeof GET, path: string, init: RequestInit = {}) =>
  method(new Request(`http://localhost:3000${path}`, init))

const headers = { cookie: "session=anns", "content-type": "application/json" }
const body = JSON.stringify({ messages: [{ role: "user", content: "Hello" }] })

const reply = await call(POST, "/api/chat", { method: "POST", headers, body })
console.log(reply.status, reply.headers.get("content-type"), (await reply.text()).length > 0)
const balance = (await (await call(GET, "/api/billing/balance", { headers })).json()) as { available: number }
console.log(balance.available)
await (await opened()).parley.close()
