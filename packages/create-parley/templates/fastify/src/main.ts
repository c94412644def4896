import { parleyApp } from "@parley/adapters-http"
import { runtimeOf } from "@parley/core/effect"
import { dashboardRouter } from "@parley/dashboard"
import Fastify from "fastify"
import { openParley } from "./parley.ts"
import { signIn, signInPage } from "./signIn.ts"

const port = Number(process.env["PORT"] ?? 3000)
const baseUrl = process.env["PARLEY_BASE_URL"] ?? `http://localhost:${port}`
const { close, parley } = await openParley()
const pages = dashboardRouter({ signIn: signInPage })
const listener = parleyApp({ runtime: runtimeOf(parley), baseUrl, pages, ...signIn })

const app = Fastify()
app.get("/hello", () => "Your own routes are here.")
await app.register(async (others) => {
  // Fastify's body parsers are removed for these routes, because Parley reads bodies itself and bounds their size.
  others.removeAllContentTypeParsers()
  others.addContentTypeParser("*", (_request, _body, done) => done(null))
  others.all("/*", (request, reply) => {
    reply.hijack()
    listener(request.raw, reply.raw)
  })
})
app.addHook("onClose", close)

await app.listen({ host: "127.0.0.1", port })
console.log(`http://localhost:${port}`)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void app.close())
