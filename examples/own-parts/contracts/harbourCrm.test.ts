import { createHash, randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { crmProviderContract, type StagedCrm } from "@parley/core/testing"
import { Effect } from "effect"
import { harbourCrm } from "../src/harbourCrm.ts"

type Fault = "unavailable" | "lost" | "garbage"

/** The CRM: its codes with their challenges, its refresh tokens, and the fault of its next answer. */
class Harbour {
  readonly codes = new Map<string, string>()
  readonly refreshTokens = new Set<string>()
  tokenCalls = 0
  next: Fault | undefined

  approve(url: URL): URLSearchParams {
    const code = randomUUID()
    this.codes.set(code, url.searchParams.get("code_challenge") ?? "")
    return new URLSearchParams({ code, state: url.searchParams.get("state") ?? "" })
  }

  /** The answer to a form; undefined if the grant is not valid. */
  answer(path: string, form: URLSearchParams): object | undefined {
    if (path === "/revoke") return this.refreshTokens.delete(form.get("token") ?? "") ? {} : undefined
    if (form.get("grant_type") === "refresh_token") {
      if (!this.refreshTokens.has(form.get("refresh_token") ?? "")) return undefined
      return { access_token: randomUUID(), expires_in: 1_800 }
    }
    const code = form.get("code") ?? ""
    const challenge = this.codes.get(code)
    this.codes.delete(code)
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (challenge !== proof) return undefined
    const refresh_token = randomUUID()
    this.refreshTokens.add(refresh_token)
    return { access_token: randomUUID(), refresh_token, expires_in: 1_800 }
  }
}

const staged = Effect.acquireRelease(
  Effect.promise(async () => {
    const harbour = new Harbour()
    const server = createServer(async (request, response) => {
      const path = request.url ?? ""
      if (path === "/token") harbour.tokenCalls += 1
      const fault = harbour.next
      harbour.next = undefined
      if (fault === "unavailable") return void response.writeHead(503).end()
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      const answer = harbour.answer(path, form)
      if (fault === "lost") return void response.destroy()
      if (fault === "garbage") return void response.end("<html>")
      response.writeHead(answer === undefined ? 400 : 200).end(JSON.stringify(answer ?? { error: "invalid_grant" }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { harbour, server }
  }),
  ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
)

crmProviderContract(
  "Harbour",
  Effect.map(staged, ({ harbour, server }): StagedCrm => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      provider: harbourCrm({ url, clientId: "parley", clientSecret: "secret" }),
      approve: (address) => Effect.sync(() => harbour.approve(address)),
      tokenCalls: Effect.sync(() => harbour.tokenCalls),
      failNext: (fault) => Effect.sync(() => void (harbour.next = fault)),
      rotates: false
    }
  })
)
