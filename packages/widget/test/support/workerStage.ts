import type { BrowserContextOptions, Page } from "playwright-core"
import { inTime, LATE, leaveBrowser, workerBrowser } from "../../../../test/support/chromium.ts"
import { clearSession } from "./clearSession.ts"
import { HostSite } from "./HostSite.ts"
import { ScriptedService } from "./ScriptedService.ts"

/** The default window. */
const WINDOW = { width: 1280, height: 720 }

/** The properties of a page that each visit can set. */
export type Shape = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "reducedMotion">

export interface WorkerStage {
  readonly service: ScriptedService
  readonly site: HostSite
}

const start = async (): Promise<WorkerStage> => {
  const [service, site] = await Promise.all([ScriptedService.start(), HostSite.start()])
  return { service, site }
}

let stage: Promise<WorkerStage> | undefined

/**
 * The service and the site of this worker, for all files, so that the browser keeps the compiled widget. They end with
 * the worker.
 */
export const workerStage = (): Promise<WorkerStage> => (stage ??= start())

let kept: Page | undefined
let isLent = false

/** The page of this worker that visits use again, in this shape; undefined while it is lent to one. */
export const borrowPage = async ({
  colorScheme = "light",
  reducedMotion = "no-preference",
  viewport = WINDOW
}: Shape): Promise<Page | undefined> => {
  if (isLent) return undefined
  isLent = true
  kept ??= await (await (await workerBrowser()).newContext()).newPage()
  await kept.emulateMedia({ colorScheme, reducedMotion })
  await kept.setViewportSize(viewport ?? WINDOW)
  return kept
}

const clear = async (page: Page): Promise<void> => {
  const { service, site } = await workerStage()
  const origins = [service.url, service.trustedUrl, site.url, site.foreignUrl]
  await clearSession(page, site.page("/blank", "<!doctype html><title>Blank</title>"), origins)
}

/** Resets the page, and closes all other sessions. If the browser fails to do so, another one is started. */
export const giveBack = async (): Promise<void> => {
  const used = isLent ? kept : undefined
  isLent = false
  const others = (await workerBrowser()).contexts().filter((context) => context !== kept?.context())
  const cleared =
    used === undefined
      ? true
      : clear(used).then(
          () => true,
          () => false
        )
  const done = await inTime(Promise.all([cleared, ...others.map((context) => context.close())]))
  if (done !== LATE && done[0]) return
  if (done === LATE) leaveBrowser()
  else
    void used
      ?.context()
      .close()
      .catch(() => undefined)
  kept = undefined
}
