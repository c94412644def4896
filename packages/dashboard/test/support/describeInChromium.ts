import { existsSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import { DashboardPage } from "./DashboardPage.ts"
import { type RunningServer, startServer } from "./runningServer.ts"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"
const promised = process.env["CI"] !== undefined || process.env["CHROMIUM_PATH"] !== undefined

const reason = `There is none at ${executablePath}: install it, or set CHROMIUM_PATH.`

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

const screenshots = join(tmpdir(), "parley-dashboard-screenshots")

/** Opens pages of the server under test. */
export interface Stage {
  readonly server: RunningServer
  /** A page in a session of its own, at the given address; the server's unless told. */
  readonly open: (options?: BrowserContextOptions, url?: string) => Promise<DashboardPage>
}

/** Saves what the page shows, for people to look at. */
export const screenshot = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(screenshots, `${name}.png`) })
}

/**
 * A suite against the real server in real Chromium. Where none is installed the suite says so, and fails if one was
 * promised by CI or CHROMIUM_PATH.
 */
export const describeInChromium = (name: string, catalog: unknown, body: (stage: Stage) => void): void => {
  describe(name, () => {
    if (existsSync(executablePath)) onStage(catalog, body)
    else it(`runs in Chromium. ${reason}`, missing)
  })
}

const missing = (test: TestContext): void => {
  if (promised) expect.fail(reason)
  test.skip(reason)
}

const onStage = (catalog: unknown, body: (stage: Stage) => void): void => {
  let browser: Browser | undefined
  let server: RunningServer | undefined
  const started = <A>(part: A | undefined): A => {
    if (part === undefined) throw new Error("The stage is not set up yet.")
    return part
  }
  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true })
    ;[browser, server] = await Promise.all([chromium.launch({ executablePath, args }), startServer(catalog)])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })
  body({
    get server() {
      return started(server)
    },
    open: async (options = {}, url = started(server).url) => {
      const context = await started(browser).newContext({ baseURL: url, ...options })
      return DashboardPage.open(await context.newPage())
    }
  })
}
