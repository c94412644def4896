import type { BrowserContext, BrowserContextOptions } from "playwright-core"
import { afterEach, beforeAll, describe } from "vitest"
import { whereChromiumIs, workerBrowser } from "../../../../test/support/chromium.ts"
import type { HostSite } from "./HostSite.ts"
import { KEY, type ScriptedService } from "./ScriptedService.ts"
import { WidgetPage } from "./WidgetPage.ts"
import { borrowPage, giveBack, type WorkerStage, workerStage } from "./workerStage.ts"

/** A service, another site, and a browser. */
export interface Stage {
  readonly service: ScriptedService
  readonly site: HostSite
  /** A page in its own session: that at `url`, or one that embeds the bot with these attributes of its tag. */
  readonly visit: (options?: VisitOptions) => Promise<WidgetPage>
  /** The tag that embeds a bot. */
  readonly tag: (attributes?: string, key?: string) => string
}

export interface VisitOptions extends BrowserContextOptions {
  readonly url?: string
  readonly attributes?: string
  /** Runs before anything of a page does. */
  readonly prepare?: (context: BrowserContext) => Promise<void>
  /** In a session that is not reused, for changes that cannot be undone: a page's own clock. */
  readonly alone?: boolean
}

const PLAIN: ReadonlyArray<string> = ["attributes", "url", "viewport", "colorScheme", "reducedMotion"]

/** True if a visit needs no session of its own, and leaves nothing behind that cannot be cleared. */
const isPlain = (options: VisitOptions): boolean => Object.keys(options).every((name) => PLAIN.includes(name))

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
  let stage: WorkerStage | undefined
  const started = (): WorkerStage => {
    if (stage === undefined) throw new Error("The stage is not set up yet.")
    return stage
  }
  beforeAll(async () => {
    ;[stage] = await Promise.all([workerStage(), workerBrowser()])
  })
  afterEach(async () => {
    await giveBack()
    stage?.service.reset()
  })
  const tag: Stage["tag"] = (attributes = "", key = KEY) =>
    `<script async src="${started().service.url}/widget.js" data-public-key="${key}" ${attributes}></script>`
  body({
    get service() {
      return started().service
    },
    get site() {
      return started().site
    },
    tag,
    visit: async (wishes = {}) => {
      const { alone: _, attributes, prepare, url, ...options } = wishes
      const open = async () => {
        const context = await (await workerBrowser()).newContext(options)
        await prepare?.(context)
        return context.newPage()
      }
      const page = new WidgetPage((isPlain(wishes) ? await borrowPage(options) : undefined) ?? (await open()))
      await page.page.goto(url ?? started().site.page("/", hostPage(tag(attributes))))
      return page
    }
  })
}
