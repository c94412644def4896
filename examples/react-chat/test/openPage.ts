import { fileURLToPath } from "node:url"
import { createHttpServer, parleyListener } from "@parley/adapters-http"
import { runtimeOf } from "@parley/core/effect"
import type { TestParley } from "@parley/core/testing/parley"
import type { Page } from "playwright-core"
import { build, type Rolldown } from "vite"
import { workerBrowser } from "../../../test/support/chromium.ts"

const bundle = async (entry: string): Promise<string> => {
  const built = (await build({
    configFile: false,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", development: false } },
    define: { "process.env.NODE_ENV": '"production"' },
    resolve: { conditions: ["@parley/source", "module", "browser", "production"] },
    build: {
      write: false,
      lib: { entry: fileURLToPath(new URL(`../app/${entry}`, import.meta.url)), formats: ["iife"], name: "page" }
    }
  })) as ReadonlyArray<Rolldown.RolldownOutput>
  const [chunk] = built.flatMap(({ output }) => output)
  return chunk?.type === "chunk" ? chunk.code : ""
}

/** Opens a page of this example in a browser, for Ann, on a real server. */
export const withPage = async (
  parley: TestParley,
  entry: string,
  work: (page: Page) => Promise<void>
): Promise<void> => {
  const code = await bundle(entry)
  const listener = parleyListener({ runtime: runtimeOf(parley), authenticate: () => ({ userId: "ann" }) })
  const server = createHttpServer(listener)
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 })
  const url = `http://127.0.0.1:${port}`
  const context = await (await workerBrowser()).newContext()
  try {
    await context.route(`${url}/page`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<body><script src=/page.js></script>" })
    )
    await context.route(`${url}/page.js`, (route) => route.fulfill({ contentType: "text/javascript", body: code }))
    const page = await context.newPage()
    await page.goto(`${url}/page`)
    await work(page)
  } finally {
    await context.close()
    await server.close({ deadlineMs: 0 })
  }
}
