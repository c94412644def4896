import { existsSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { type Browser, chromium } from "playwright-core"
import { expect, it } from "vitest"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"
const promised = process.env["CI"] !== undefined || process.env["CHROMIUM_PATH"] !== undefined
const reason = `There is none at ${executablePath}: install it, or set CHROMIUM_PATH.`

/**
 * The address bar's own popups: with them, the browser loads two pages of its own beside each window, which takes more
 * processor time than the pages under test. Chromium takes the last list alone, so that this one repeats playwright's.
 */
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch"
]

/** Every name under `.test` is this machine to it. */
const args = [
  `--disable-features=${disabledFeatures.join(",")}`,
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP *.test 127.0.0.1"
]

/** A busy machine may be slow: a start may take almost as long as a test. */
export const launchChromium = () => chromium.launch({ executablePath, args, timeout: 110_000 })

let ofWorker: Promise<Browser> | undefined

/** The browser of this worker, for all its files that ask for it. It ends with the worker. */
export const workerBrowser = (): Promise<Browser> => (ofWorker ??= launchChromium())

/** Call this if the browser does not respond: the next caller gets a new one. */
export const leaveBrowser = (): void => {
  ofWorker = undefined
}

/** A quarter of the time limit of a hook. */
const IN_TIME_MS = 30_000

/** The browser did not answer in time. */
export const LATE = Symbol("late")

/**
 * Waits for work of the browser, but not too long: a slow close or cleanup after a test does not fail it. A late
 * result is ignored.
 */
export const inTime = async <A>(work: Promise<A>): Promise<A | typeof LATE> => {
  const late = new AbortController()
  work.catch(() => undefined)
  try {
    return await Promise.race([work, setTimeout(IN_TIME_MS, LATE, { signal: late.signal })])
  } finally {
    late.abort()
  }
}

/**
 * Defines the tests of a suite that needs real Chromium. Without Chromium the suite reports that instead, and fails if
 * CI or CHROMIUM_PATH promises one.
 */
export const whereChromiumIs = (define: () => void): void => {
  if (existsSync(executablePath)) return define()
  it(`runs in Chromium. ${reason}`, (test) => {
    if (promised) expect.fail(reason)
    test.skip(reason)
  })
}
