import type { Browser } from "playwright-core"
import { expect, it } from "vitest"
import { describeWidget, hostPage } from "./support/describeWidget.ts"

const PAGES = 20

/** The events that run script: neither contains the other. */
const COUNTED = new Set(["EvaluateScript", "FunctionCall"])

interface TraceEvent {
  readonly name: string
  /** When it began. */
  readonly ts: number
  /** In the thread's own time, in microseconds: other work of the machine does not count. */
  readonly tdur?: number
  readonly args?: unknown
}

/** Chromium's trace events while `work` ran. */
const trace = async (browser: Browser, work: () => Promise<void>): Promise<ReadonlyArray<TraceEvent>> => {
  const session = await browser.newBrowserCDPSession()
  const events: Array<TraceEvent> = []
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as ReadonlyArray<TraceEvent>)))
  const over = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()))
  await session.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline"] } })
  await work()
  await session.send("Tracing.end")
  await over
  await session.detach()
  return events
}

/** The time that scripts of this address took of the thread of each page that ran them, in milliseconds. */
const millisecondsOf = (events: ReadonlyArray<TraceEvent>, address: string): ReadonlyArray<number> => {
  const times: Array<number> = []
  const ours = events.filter(({ args, name }) => COUNTED.has(name) && JSON.stringify(args).includes(address))
  for (const { name, tdur = Number.NaN } of ours.toSorted((one, other) => one.ts - other.ts)) {
    if (name === "EvaluateScript") times.push(0)
    times.push((times.pop() ?? Number.NaN) + tdur / 1_000)
  }
  return times
}

/** Work of a page's own, as the bound of the loader's: a bound in milliseconds would be one of the machine. */
const REFERENCE = `<script>
  for (let count = 0; count < 1000; count += 1) {
    const element = document.createElement("div")
    element.attachShadow({ mode: "open" }).innerHTML = "<style>button { color: red }</style><button>" + count + "</button>"
  }
</script>`

const medianOf = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN

describeWidget("the loader", (stage) => {
  it(`takes no more of a page's thread than 1,000 small elements, in the median of ${PAGES} pages`, async () => {
    stage.site.page("/timed", hostPage(REFERENCE + stage.tag()))
    const { launcher, page } = await stage.visit({
      url: stage.site.page("/empty", "<!doctype html><title>Empty</title>")
    })
    const browser = page.context().browser()
    if (browser === null) throw new Error("The page has no browser.")
    const events = await trace(browser, async () => {
      for (let count = 0; count < PAGES; count += 1) {
        await page.goto(`${stage.site.foreignUrl}/timed`)
        await launcher.waitFor()
      }
    })
    const times = millisecondsOf(events, `${stage.service.url}/widget.js`)
    const references = millisecondsOf(events, `${stage.site.foreignUrl}/timed`)
    const [taken, allowed] = [medianOf(times), medianOf(references)]
    process.stdout.write(`loader: ${taken.toFixed(1)} ms; reference: ${allowed.toFixed(1)} ms\n`)
    expect([times.length, references.length]).toEqual([PAGES, PAGES])
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThanOrEqual(allowed)
  })
})
