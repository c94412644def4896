import { type HttpBindings, serve } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { parleyApp } from "@parley/adapters-http"
import { runtimeOf } from "@parley/core/effect"
import { dashboardRouter } from "@parley/dashboard"
import { Hono } from "hono"
import { openParley } from "./parley.ts"
import { signIn, signInPage } from "./signIn.ts"

const port = Number(process.env["PORT"] ?? 3000)
const baseUrl = process.env["PARLEY_BASE_URL"] ?? `http://localhost:${port}`
const { close, parley } = await openParley()
const pages = dashboardRouter({ signIn: signInPage })
const listener = parleyApp({ runtime: runtimeOf(parley), baseUrl, pages, ...signIn })

const app = new Hono<{ Bindings: HttpBindings }>()
app.get("/hello", (context) => context.text("Your own routes are here."))
// Parley answers all other requests, and writes to Node's own response object.
app.all("*", ({ env }) => {
  listener(env.incoming, env.outgoing)
  return RESPONSE_ALREADY_SENT
})

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => console.log(`http://localhost:${port}`))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => server.close(() => void close()))
