import { expect, test } from "vitest"
import { parleyApp } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer } from "./support/startServer.ts"

test("pages that throw or reject are answered with problem details, and those that pass on with 404", async () => {
  const server = await startServer({
    app: {
      pages: (request, _response, next) => {
        if (request.url === "/thrown") throw new Error("a secret")
        if (request.url === "/passed") return next()
        return Promise.reject(new Error("a secret")) as never
      }
    },
    listener: parleyApp
  })
  for (const path of ["/thrown", "/rejected"]) {
    const response = await server.fetch(path)
    const text = await response.clone().text()
    await expectProblem(response, 500, "internal_error")
    expect(text).not.toContain("secret")
  }
  await expectProblem(await server.fetch("/passed"), 404, "not_found")
  await server.close()
})
