import type { APIRequestContext, BrowserContextOptions } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest"
import { whereChromiumIs, workerBrowser } from "../../../../test/support/chromium.ts"
import { DashboardPage } from "./DashboardPage.ts"
import type { NamedFile } from "./files.ts"
import { type RunningServer, startServer } from "./runningServer.ts"
import { upload } from "./upload.ts"
import { borrowSession, closeSessions, workerServer } from "./workerStage.ts"

/**
 * Opens pages of the server under test, each in its own session, which ends with the test or the suite that opened it.
 */
export interface Stage {
  readonly server: RunningServer
  /** The start page without a session; default: of the suite's server. */
  readonly open: (options?: BrowserContextOptions, url?: string) => Promise<DashboardPage>
  /** A page with a session. */
  readonly openAs: (email: string, wishes?: Wishes) => Promise<DashboardPage>
}

export interface Wishes {
  /**
   * The path of the page, or a function that prepares data in the person's session and returns the path; default: the
   * start page, with the documents.
   */
  readonly path?: string | ((request: APIRequestContext) => Promise<string>)
  /** The person's documents, which are read before the page is opened. */
  readonly documents?: ReadonlyArray<NamedFile>
  readonly options?: BrowserContextOptions
  /** The server; default: the suite's. */
  readonly url?: string
}

/**
 * A suite in real Chromium against a real server: with overrides of the default catalog, or started by the given
 * function. Without overrides, all suites of a worker share one server, so the people of a suite must be its own.
 */
export const describeInChromium = (
  name: string,
  catalog: Readonly<Record<string, unknown>> | (() => Promise<RunningServer>),
  body: (stage: Stage) => void
): void => {
  describe(name, () => {
    whereChromiumIs(() => {
      if (typeof catalog === "function") onStage(catalog, body)
      else onStage(Object.keys(catalog).length === 0 ? workerServer : () => startServer(catalog), body)
    })
  })
}

const onStage = (start: () => Promise<RunningServer>, body: (stage: Stage) => void): void => {
  let server: RunningServer | undefined
  const started = () => {
    if (server === undefined) throw new Error("The stage is not set up yet.")
    return server
  }
  const ofSuite: Array<() => Promise<void>> = []
  const ofTest: Array<() => Promise<void>> = []
  let opened = ofSuite
  const borrow = async (url: string, options: BrowserContextOptions) => {
    const session = await borrowSession(url, options)
    opened.push(session.giveBack)
    return session
  }
  const close = async (these: Array<() => Promise<void>>) => {
    await Promise.all(these.splice(0).map((giveBack) => giveBack()))
  }
  beforeAll(async () => {
    ;[server] = await Promise.all([start(), workerBrowser()])
  })
  beforeEach(() => {
    opened = ofTest
  })
  afterEach(async () => {
    opened = ofSuite
    await close(ofTest)
  })
  afterAll(async () => {
    await close(ofSuite)
    if (start === workerServer || server === undefined) return
    await closeSessions(server.url)
    await server.stop()
  })
  body({
    get server() {
      return started()
    },
    open: async (options = {}, url = started().url) => {
      const { page } = await borrow(url, options)
      return DashboardPage.open(page)
    },
    openAs: async (email, { documents = [], options = {}, path, url = started().url } = {}) => {
      const { context, page } = await borrow(url, options)
      const answer = await context.request.post("/dev/sign-in", { data: { email } })
      if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}.`)
      const ids = await upload(context.request, documents)
      const start = ids.length === 0 ? "/" : `/?documents=${ids.join(",")}`
      const dashboard = await DashboardPage.open(
        page,
        typeof path === "function" ? await path(context.request) : (path ?? start)
      )
      await dashboard.page.getByRole("main").waitFor()
      return dashboard
    }
  })
}
