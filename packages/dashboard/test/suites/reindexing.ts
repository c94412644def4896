import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, expect, it } from "vitest"
import { FakeEmbeddings } from "../../../cli/test/documents/FakeEmbeddings.ts"
import { eventually } from "../../../cli/test/processes/ParleyProcess.ts"
import { checkLook, type Look } from "../looks/Look.ts"
import { describeInChromium, type Stage } from "../support/describeInChromium.ts"
import { sessionOf } from "../support/identityProvider.ts"
import { type RunningServer, startServer } from "../support/runningServer.ts"

const SECRET = "an identity provider's secret, long enough for HS256"
const OWNER = "olga@example.org"
const ANN = "ann@example.org"
const BEN = "ben@example.org"
const NAMES = ["charter", "logbook", "inventory", "manifest"]

const cookieOf = (user: string, claims: Readonly<Record<string, string>> = {}) => sessionOf(user, SECRET, 0, claims)

const textOf = (name: string) =>
  Array.from({ length: 400 }, (_, line) => `Line ${line} of the ${name} names a ship, its master and its cargo.`).join(
    "\n"
  )

const fetchAs = (url: string, user: string, path: string, init: RequestInit = {}) =>
  fetch(new URL(path, url), { ...init, headers: { ...init.headers, cookie: `parley_session=${cookieOf(user)}` } })

const uploadAs = async (url: string, user: string, name: string) => {
  const form = new FormData()
  form.set("file", new File([textOf(name)], `${name}.txt`))
  expect((await fetchAs(url, user, "/api/upload", { method: "POST", body: form })).status).toBe(200)
}

const statesOf = async (url: string, user: string) => {
  const { documents } = (await (await fetchAs(url, user, "/api/documents")).json()) as {
    readonly documents: ReadonlyArray<{ readonly status: string }>
  }
  return documents.map(({ status }) => status)
}

/** A server without an embedder, and after it one with an embedder over the same documents. */
const changedServer = () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-reindexing-"))
  const settings = { PARLEY_DATA_DIR: folder, PARLEY_SESSION_SECRET: SECRET, PARLEY_EMBEDDING_API_KEY: "any" }
  let provider: FakeEmbeddings | undefined
  const start = async (): Promise<RunningServer> => {
    provider = await FakeEmbeddings.start()
    const before = await startServer({}, settings)
    for (const name of NAMES) await uploadAs(before.url, ANN, name)
    await uploadAs(before.url, BEN, "diary")
    await eventually("the documents to be ready", async () => {
      const states = [...(await statesOf(before.url, ANN)), ...(await statesOf(before.url, BEN))]
      return states.length === NAMES.length + 1 && states.every((state) => state === "ready") ? true : undefined
    })
    await before.stop()
    return startServer(provider.embedding("harbour", { batch: 2, usdPerMillionTokens: 0.5 }), settings)
  }
  const stop = async () => {
    await provider?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
  return { start, stop, provider: () => provider! }
}

const openAs = async (
  stage: Stage,
  user: string,
  path: string,
  claims: Readonly<Record<string, string>> = {},
  options: Parameters<Stage["open"]>[0] = {}
) => {
  const dashboard = await stage.open(options)
  const { page } = dashboard
  await page.context().addCookies([{ name: "parley_session", value: cookieOf(user, claims), url: stage.server.url }])
  await page.goto(path)
  await page.getByRole("main").waitFor()
  return dashboard
}

const notice = (page: Page) => page.getByRole("region", { name: "Documents on an older index" })
const progress = (page: Page) => page.getByRole("progressbar", { name: "Progress of indexing anew" })

/** The widths that people use, light and dark. */
const LOOKS: ReadonlyArray<Look> = [
  { name: "1280-light", options: { viewport: { width: 1280, height: 900 } } },
  { name: "800-dark", options: { viewport: { width: 800, height: 900 }, colorScheme: "dark" } },
  { name: "360-light", options: { viewport: { width: 360, height: 780 }, hasTouch: true } },
  { name: "360-dark", options: { viewport: { width: 360, height: 780 }, hasTouch: true, colorScheme: "dark" } }
]

const state = (more: object) => ({
  ...{ documents: 4, passages: 80, outdated: 3, outdatedPassages: 60, failed: 0, work: "none" },
  ...{ passagesInWork: 0, failures: [], ...more }
})

/** The states that a person can meet. */
const STATES: ReadonlyArray<readonly [string, object, RegExp]> = [
  ["outdated", state({}), /3 of your 4 documents are on an older index\..*costs no credits.*Index anew$/],
  ["running", state({ work: "running", passagesInWork: 10 }), /3 documents of 4 are left/],
  ["stopped", state({ work: "stopped" }), /What is done stays done\.Continue$/],
  [
    "failed",
    state({
      ...{ outdated: 1, outdatedPassages: 20, failed: 1 },
      failures: [{ documentId: crypto.randomUUID(), filename: "charter.txt", reasonCode: "damaged" }]
    }),
    /1 document could not be indexed anew\. It is found as before\.charter\.txt: The file is damaged\..*Try again$/
  ]
]

const { provider, start, stop } = changedServer()

describeInChromium("re-indexing after a change of the embedder", start, (stage) => {
  afterAll(stop)

  it.each(LOOKS)("says what is the matter and what helps, $name", async (look) => {
    const { page } = await openAs(stage, ANN, "/documents", {}, look.options)
    for (const [name, body, words] of STATES) {
      await page.route("**/api/reindexing", (route) => route.fulfill({ json: body }))
      await page.reload()
      await notice(page).waitFor()
      expect(await notice(page).textContent()).toMatch(words)
      await checkLook(page, look, `reindexing-${name}`)
      await page.unroute("**/api/reindexing")
    }
  })

  it("an operator sees the state over all people and the cost of the rest before anything begins", async () => {
    const { page } = await openAs(stage, "sue@example.org", "/admin/documents", { parley_role: "support" })
    const index = page.getByRole("region", { name: "Index", exact: true })
    await index.waitFor()
    expect(await index.textContent()).toMatch(/Ready documents5.*On an older index5/)
    expect(await index.getByRole("button").count()).toBe(0)
    const cost = page.getByRole("region", { name: "Cost of the rest" })
    await cost.getByText("To openai/harbour/8").waitFor()
    expect(await cost.textContent()).toMatch(/Tokens, about[\d,]{5,}.*US dollars, about0\.0\d+/)
    await page.getByRole("cell", { name: /words alone/ }).waitFor()
    expect(provider().requests).toBe(0)
  })

  it("a person starts it, sees how far it is, may reload meanwhile, and reads when it is done", async () => {
    provider().delayMs = 200
    const dashboard = await openAs(stage, ANN, "/documents")
    const { page } = dashboard
    await notice(page).getByText("4 of your 4 documents are on an older index.").waitFor()
    await notice(page).getByRole("button", { name: "Index anew" }).press("Enter")
    await progress(page).waitFor()
    await page.reload()
    await progress(page).waitFor()
    const seen = new Set<string | null>()
    const followed = async () => {
      seen.add(
        await progress(page)
          .getAttribute("value", { timeout: 1_000 })
          .catch(() => null)
      )
      return notice(page).count()
    }
    await expect.poll(followed, { timeout: 60_000, interval: 200 }).toBe(0)
    // At its beginning and later on; a busy machine shows fewer states than there are.
    expect(seen.size).toBeGreaterThan(1)
    provider().delayMs = 0
    expect(new Set(provider().of("harbour")).size).toBe(provider().of("harbour").length)
    expect(
      provider()
        .of("harbour")
        .some((text) => text.includes("diary"))
    ).toBe(false)
    expect(dashboard.complaintsBut(/^$/)).toEqual([])
  })

  it("an operator starts it for all others with a reason, and the audit log names it", async () => {
    const { page } = await openAs(stage, OWNER, "/admin/documents", { parley_role: "owner" })
    const index = page.getByRole("region", { name: "Index", exact: true })
    await index.waitFor()
    expect(await index.textContent()).toMatch(/Ready documents5.*On an older index1/)
    await index.getByRole("button", { name: "Index anew" }).click()
    const dialog = page.getByRole("dialog", { name: "Index anew" })
    await dialog.getByLabel("Reason").fill("a better embedder")
    await dialog.getByRole("button", { name: "Index anew" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByText("All documents are on the present index.").first().waitFor({ timeout: 60_000 })
    expect(
      provider()
        .of("harbour")
        .some((text) => text.includes("diary"))
    ).toBe(true)
    await page.getByRole("link", { name: "Audit" }).click()
    await page.getByRole("row", { name: /reindex.*a better embedder/ }).waitFor()
  })

  it.each(LOOKS)("the administration shows failures and people whose indexing stopped, $name", async (look) => {
    const { page } = await openAs(stage, OWNER, "/admin/documents", { parley_role: "owner" }, look.options)
    const by = (embedder: string | null) => ({ embedder, parser: "parley-pdf/3", version: 6 })
    const body = {
      ...{ documents: 1_204, passages: 88_120, outdated: 310, outdatedPassages: 20_400, failed: 2 },
      groups: [
        {
          type: "pdf",
          documents: 308,
          failed: false,
          indexedBy: by("openai/text-embedding-3-small/1536"),
          today: by("openai/text-embedding-3-large/3072")
        },
        {
          type: "pdf",
          documents: 2,
          failed: true,
          indexedBy: by(null),
          today: by("openai/text-embedding-3-large/3072")
        }
      ],
      jobs: { waiting: 12, running: 1, failed: 1 },
      stopped: [BEN],
      failures: [ANN, BEN].map((userId) => ({ userId, documentId: crypto.randomUUID(), reasonCode: "damaged" }))
    }
    const estimate = { tokens: 4_080_000, embedder: "openai/text-embedding-3-large/3072", usd: 0.53 }
    await page.route("**/api/admin/reindexing", (route) => route.fulfill({ json: body }))
    await page.route("**/api/admin/reindexing/estimate", (route) => route.fulfill({ json: { ...body, ...estimate } }))
    await page.reload()
    await page.getByText("4,080,000").waitFor()
    await page.getByText("12 more wait.").waitFor()
    await page.getByRole("progressbar", { name: "Documents on the present index" }).waitFor()
    await page.getByRole("row", { name: `${BEN} The rest` }).waitFor()
    await checkLook(page, look, "admin-documents")
  })

  it("speaks German", async () => {
    const { page } = await openAs(stage, ANN, "/documents", {}, { locale: "de-DE" })
    await page.route("**/api/reindexing", (route) => route.fulfill({ json: state({}) }))
    await page.reload()
    await page.getByText("3 von 4 Dokumenten haben einen älteren Index.").waitFor()
    await page.getByRole("button", { name: "Neu indizieren" }).waitFor()
    await checkLook(page, LOOKS[0]!, "reindexing-german")
  })
})
