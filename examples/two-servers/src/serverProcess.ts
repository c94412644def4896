import { runtimeOf } from "@parley/core/effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { parleyListener } from "@parley/adapters-http"
import { openParley } from "./openParley.ts"

const parley = await openParley({ work: false })
const listener = parleyListener({
  runtime: runtimeOf(parley),
  baseUrl: "http://127.0.0.1:3000",
  authenticate: ({ headers }) => (headers.cookie === "session=anns" ? { userId: "ann" } : undefined)
})
const server = createServer(listener).listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once("disconnect", () => process.exit())
