import { answerError, answerNotFound, parleyRouter } from "@parley/adapters-http"
import { runtimeOf } from "@parley/core/effect"
import { dashboardRouter } from "@parley/dashboard"
import express from "express"
import { openParley } from "./parley.ts"
import { signIn, signInPage } from "./signIn.ts"

const port = Number(process.env["PORT"] ?? 3000)
const baseUrl = process.env["PARLEY_BASE_URL"] ?? `http://localhost:${port}`
const { close, parley } = await openParley()

const app = express()
// The router stands before any body parser, because Parley reads bodies itself and bounds their size.
app.use(parleyRouter({ runtime: runtimeOf(parley), baseUrl, ...signIn }))
app.get("/hello", (_request, response) => {
  response.send("Your own routes are here.")
})
app.use(dashboardRouter({ signIn: signInPage }))
app.use(answerNotFound, answerError)

const server = app.listen(port, "127.0.0.1", () => console.log(`http://localhost:${port}`))
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(() => void close())
    server.closeIdleConnections()
  })
}
