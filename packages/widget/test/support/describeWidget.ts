import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe } from "vitest"
import { inTime, LATE, leaveBrowser, whereChromiumIs, workerBrowser } from "../../../../test/support/chromium.ts"
import { clearSession } from "./clearSession.ts"
import { HostSite } from "./HostSite.ts"
import { KEY, ScriptedService } from "./ScriptedService.ts"
import { WidgetPage } from "./WidgetPage.ts"

/** A service, somebody else's site, and a browser. */
export interface Stage {
  readonly service: ScriptedService
  readonly site: HostSite
  /** A page in a session of its own: that at `url`, or one that embeds the bot with these attributes of its tag. */
  readonly visit: (options?: VisitOptions) => Promise<WidgetPage>
  /** The tag that embeds a bot. */
  readonly tag: (attributes?: string, key?: string) => string
}

export interface VisitOptions extends BrowserContextOptions {
  readonly url?: string
  readonly attributes?: string
  /** Runs before anything of a page does. */
  readonly prepare?: (context: BrowserContext) => Promise<void>
  /** In a session that nobody gets afterwards, for what cannot be taken back: a clock of the page's own. */
  readonly alone?: boolean
}

/** Whether a visit leaves nothing behind that cannot be cleared. */
const isPlain = (options: VisitOptions): boolean => Object.keys(options).every((name) => name === "attributes")

/** A page that embeds something. */
export const hostPage = (embedded: string, attributes = 'lang="en"'): string => `<!doctype html>
<html ${attributes}>
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Acme</title></head>
  <body><main><h1>Acme</h1><p>We make everything.</p><a href="#more">More</a></main>${embedded}</body>
</html>`

/** A suite against the widget in real Chromium, on a page of another origin than the service. */
export const describeWidget = (name: string, body: (stage: Stage) => void): void => {
  describe(name, () => {
    whereChromiumIs(() => onStage(body))
  })
}

const onStage = (body: (stage: Stage) => void): void => {
  let browser: Browser | undefined
  let service: ScriptedService | undefined
  let site: HostSite | undefined
  /** The page of plain visits, used again by the next test; lent to one visit at a time. */
  let kept: Page | undefined
  let isLent = false
  const started = <A>(part: A | undefined): A => {
    if (part === undefined) throw new Error("The stage is not set up yet.")
    return part
  }
  beforeAll(async () => {
    ;[browser, service, site] = await Promise.all([workerBrowser(), ScriptedService.start(), HostSite.start()])
  })
  const giveBack = async () => {
    if (kept === undefined || !isLent) return
    const { trustedUrl, url } = started(service)
    const host = started(site)
    const origins = [url, trustedUrl, host.url, host.foreignUrl]
    isLent = false
    try {
      await clearSession(kept, host.page("/blank", "<!doctype html><title>Blank</title>"), origins)
    } catch {
      const broken = kept.context()
      kept = undefined
      await broken.close()
    }
  }
  afterEach(async () => {
    const others = (browser?.contexts() ?? []).filter((context) => context !== kept?.context())
    const done = await inTime(Promise.all([...others.map((context) => context.close()), giveBack()]))
    if (done === LATE) {
      leaveBrowser()
      browser = await workerBrowser()
      kept = undefined
    }
    service?.reset()
  })
  afterAll(async () => {
    if (kept !== undefined) await inTime(kept.context().close())
    await Promise.all([service?.stop(), site?.stop()])
  })
  const tag: Stage["tag"] = (attributes = "", key = KEY) =>
    `<script async src="${started(service).url}/widget.js" data-public-key="${key}" ${attributes}></script>`
  body({
    get service() {
      return started(service)
    },
    get site() {
      return started(site)
    },
    tag,
    visit: async (wishes = {}) => {
      const { alone: _, attributes, prepare, url, ...options } = wishes
      const open = async () => {
        const context = await started(browser).newContext(options)
        await prepare?.(context)
        return context.newPage()
      }
      const canLend = isPlain(wishes) && !isLent
      if (canLend) {
        isLent = true
        kept ??= await open()
      }
      const page = new WidgetPage(canLend && kept !== undefined ? kept : await open())
      await page.page.goto(url ?? started(site).page("/", hostPage(tag(attributes))))
      return page
    }
  })
}
