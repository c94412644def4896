import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { inTime, LATE, leaveBrowser, workerBrowser } from "../../../../test/support/chromium.ts"
import { type RunningServer, startServer } from "./runningServer.ts"

/** Far more than anything takes, for machines that are busy. */
const PATIENCE_MS = 60_000
/** The window where a test asks for no other. */
const DESKTOP = { width: 1280, height: 720 }

let server: Promise<RunningServer> | undefined

/** A session in which nobody is signed in, with its page. */
interface Session {
  readonly url: string
  readonly options: BrowserContextOptions
  readonly context: BrowserContext
  readonly page: Page
}
type Kind = Pick<Session, "url" | "options">
/** Those that nobody uses at the moment. */
let idle: ReadonlyArray<Session> = []

/** The server of this worker with the default catalog, for all files that need no other. It ends with the worker. */
export const workerServer = (): Promise<RunningServer> => (server ??= startServer())

/** What tests listen to on a page. */
const HEARD = ["console", "dialog", "pageerror", "request", "response"] as const

/** Makes a session as if nobody had used it. Its page stays at the server, so that the browser keeps what it compiled. */
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

/** What a page can be given anew: its window and its colours. */
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
 * A session at a server in which nobody is signed in, and its page. Those that differ in window and colours at most are used again, page and
 * all: a new page starts a process and compiles the whole application anew, four times the work of loading it. Give it
 * back with what is given beside it: where the browser does not come to clear it, nobody gets it again.
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
