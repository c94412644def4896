import { fileURLToPath } from "node:url"
import { createHttpServer, parleyListener } from "@parley/adapters-http"
import { runtimeOf } from "@parley/core/effect"
import { createTestParley } from "@parley/core/testing/parley"
import type { BrowserContext } from "playwright-core"
import { build, type Rolldown } from "vite"
import { expect, it } from "vitest"
import { whereChromiumIs, workerBrowser } from "../../../test/support/chromium.ts"

const bundle = async (): Promise<string> => {
  const built = (await build({
    configFile: false,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", development: false } },
    define: { "process.env.NODE_ENV": '"production"' },
    resolve: { conditions: ["@parley/source", "module", "browser", "production"] },
    build: {
      write: false,
      lib: { entry: fileURLToPath(new URL("../app/main.tsx", import.meta.url)), formats: ["iife"], name: "page" }
    }
  })) as ReadonlyArray<Rolldown.RolldownOutput>
  const [chunk] = built.flatMap(({ output }) => output)
  return chunk?.type === "chunk" ? chunk.code : ""
}

const converse = async (context: BrowserContext, url: string): Promise<void> => {
  const code = await bundle()
  await context.route(`${url}/page`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<body><script src=/page.js></script>" })
  )
  await context.route(`${url}/page.js`, (route) => route.fulfill({ contentType: "text/javascript", body: code }))
  const page = await context.newPage()
  await page.goto(`${url}/page`)
  const buffer = Buffer.from("Storks return in March.")
  await page.getByLabel("Document").setInputFiles({ name: "storks.txt", mimeType: "text/plain", buffer })
  await page.getByText("storks.txt: ready").waitFor()
  await page.getByLabel("Message").fill("When do storks return?")
  await page.getByRole("button", { name: "Send" }).click()
  const reply = page.locator("article.assistant")
  await expect.poll(() => reply.textContent()).toMatch(/^In March \[1\]\.\[1\] storks\.txt \d+ credits$/)
  await expect
    .poll(() =>
      page
        .getByText(/^\d+ credits$/)
        .first()
        .textContent()
    )
    .not.toBe("100 credits")
}

whereChromiumIs(() => {
  it("answers from a document that was uploaded, and shows the source and the cost", async () => {
    await using parley = await createTestParley()
    parley.model.says(["In ", "March [1]."])
    const listener = parleyListener({ runtime: runtimeOf(parley), authenticate: () => ({ userId: "ann" }) })
    const server = createHttpServer(listener)
    const { port } = await server.listen({ host: "127.0.0.1", port: 0 })
    const url = `http://127.0.0.1:${port}`
    const context = await (await workerBrowser()).newContext()
    try {
      await converse(context, url)
    } finally {
      await context.close()
      await server.close({ deadlineMs: 0 })
    }
  })
})
