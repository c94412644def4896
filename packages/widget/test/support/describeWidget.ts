import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe } from "vitest"
import { inTime, LATE, leaveBrowser, whereChromiumIs, workerBrowser } from "../../../../test/support/chromium.ts"
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
}

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
  const started = <A>(part: A | undefined): A => {
    if (part === undefined) throw new Error("The stage is not set up yet.")
    return part
  }
  beforeAll(async () => {
    ;[browser, service, site] = await Promise.all([workerBrowser(), ScriptedService.start(), HostSite.start()])
  })
  afterEach(async () => {
    const closed = await inTime(Promise.all((browser?.contexts() ?? []).map((context) => context.close())))
    if (closed === LATE) {
      leaveBrowser()
      browser = await workerBrowser()
    }
    service?.reset()
  })
  afterAll(async () => {
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
    visit: async ({ attributes, prepare, url, ...options } = {}) => {
      const context = await started(browser).newContext(options)
      await prepare?.(context)
      const page = new WidgetPage(await context.newPage())
      await page.page.goto(url ?? started(site).page("/", hostPage(tag(attributes))))
      return page
    }
  })
}
