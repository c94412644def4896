import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { inTime, LATE, leaveBrowser, workerBrowser } from "../../../../test/support/chromium.ts"
import { type RunningServer, startServer } from "./runningServer.ts"

/** Far more than anything takes, for machines that are busy. */
const PATIENCE_MS = 120_000
/** The default window. */
const DESKTOP = { width: 1280, height: 720 }

let server: Promise<RunningServer> | undefined

/** A session without a signed-in person, with its page. */
interface Session {
  readonly url: string
  readonly options: BrowserContextOptions
  readonly context: BrowserContext
  readonly page: Page
}
type Kind = Pick<Session, "url" | "options">
/** Sessions that are not in use. */
let idle: ReadonlyArray<Session> = []

/** The server of this worker with the default catalog, for all files that need no other. It ends with the worker. */
export const workerServer = (): Promise<RunningServer> => (server ??= startServer())

/**
 * Has the suites of this file that share the worker's server use another one; returns a function that restores the
 * former. The caller stops its server.
 */
export const useAsWorkerServer = (other: RunningServer): (() => void) => {
  const former = server
  server = Promise.resolve(other)
  return () => {
    server = former
  }
}

/** The events of a page that tests listen to. */
const HEARD = ["console", "dialog", "pageerror", "request", "response"] as const

/**
 * Resets a session to its initial state. Its page stays at the server, so that the browser keeps the compiled code.
 */
const clear = async ({ context, page, url }: Session): Promise<void> => {
  const others = context.pages().filter((each) => each !== page)
  await Promise.all(others.map((each) => each.close()))
  for (const event of HEARD) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await context.setOffline(false)
  await page.goto(`${url}/favicon.svg`)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await context.clearCookies()
  await page.mouse.move(-1, -1)
}

/** Sets the page's window and colours. */
const shape = async ({ page }: Session, { colorScheme, viewport }: BrowserContextOptions): Promise<void> => {
  await page.emulateMedia({ colorScheme: colorScheme ?? "light" })
  await page.setViewportSize(viewport ?? DESKTOP)
}

const leave = (): void => {
  leaveBrowser()
  idle = []
}

const newSession = async (url: string, options: BrowserContextOptions): Promise<Session> => {
  const context = await (await workerBrowser()).newContext({ baseURL: url, reducedMotion: "reduce", ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  return { url, options, context, page: await context.newPage() }
}

const makeSession = async (url: string, options: BrowserContextOptions): Promise<Session> => {
  const made = await inTime(newSession(url, options))
  if (made !== LATE) return made
  leave()
  return newSession(url, options)
}

/**
 * A session at a server without a signed-in person, and its page. Sessions that differ only in window and colours are
 * reused with their pages, because a new page starts a process and compiles the whole application again, four times
 * the work of loading it. Return it with the returned function; if the browser fails to clear it, it is not reused.
 */
export const borrowSession = async (url: string, options: BrowserContextOptions) => {
  const kindOf = ({ url: at, options: { colorScheme: _colours, viewport: _window, ...fixed } }: Kind) =>
    JSON.stringify([at, fixed])
  const found = idle.find((each) => kindOf(each) === kindOf({ url, options }))
  idle = idle.filter((each) => each !== found)
  const session = found ?? (await makeSession(url, options))
  if (found !== undefined) await shape(session, options)
  const giveBack = async () => {
    const cleared = await inTime(
      clear(session).then(
        () => true,
        () => false
      )
    )
    if (cleared === true) idle = [...idle, session]
    else void session.context.close().catch(() => undefined)
    if (cleared === LATE) leave()
  }
  return { ...session, giveBack }
}

/** Closes the sessions at a server that ends. */
export const closeSessions = async (url: string): Promise<void> => {
  const ended = idle.filter((each) => each.url === url)
  idle = idle.filter((each) => each.url !== url)
  await Promise.all(ended.map(({ context }) => inTime(context.close())))
}
