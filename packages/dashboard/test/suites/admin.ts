import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { checkLook, LIGHT, PHONE_DARK } from "../looks/Look.ts"
import { subscribe } from "../support/billingPage.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import { describeInChromium, type Stage } from "../support/describeInChromium.ts"
import { sessionOf } from "../support/identityProvider.ts"
import { startServer } from "../support/runningServer.ts"

const SECRET = "an identity provider's secret, long enough for HS256"
const OWNER = "olga@example.org"
const ANN = "ann/1@example.org"
/** More people than a page of the list. */
const MANY = 55

const start = () =>
  startServer({}, { PARLEY_SESSION_SECRET: SECRET, PARLEY_SIGN_IN_URL: "https://sign-in.example.org/again" })

type Role = "owner" | "support"

const cookieOf = (user: string, role?: Role, secondsAgo = 0) =>
  sessionOf(user, SECRET, secondsAgo, role === undefined ? {} : { parley_role: role })

/** Opens a page as a person with a role. */
const openAs = async (
  stage: Stage,
  {
    user,
    role,
    path = "/",
    secondsAgo = 0,
    options = {}
  }: {
    readonly user: string
    readonly role?: Role
    readonly path?: string
    readonly secondsAgo?: number
    readonly options?: Parameters<Stage["open"]>[0]
  }
): Promise<DashboardPage> => {
  const dashboard = await stage.open(options)
  const { page } = dashboard
  const value = cookieOf(user, role, secondsAgo)
  await page.context().addCookies([{ name: "parley_session", value, url: stage.server.url }])
  await page.goto(path)
  await page.getByRole("main").waitFor()
  return dashboard
}

/** Asks as a client of the HTTP interface. */
const fetchAs = (stage: Stage, user: string, path: string, init: RequestInit = {}, role?: Role) =>
  fetch(new URL(path, stage.server.url), {
    ...init,
    headers: { ...init.headers, cookie: `parley_session=${cookieOf(user, role)}` }
  })

const chatAs = async (stage: Stage, user: string) => {
  const reply = await fetchAs(stage, user, "/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] })
  })
  await reply.text()
  return reply.status
}

const part = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true })
const section = (page: Page, name: string | RegExp) => page.getByRole("main").getByRole("region", { name }).first()

/** Does an action on the person of the page, with what is typed into its form. */
const act = async (
  page: Page,
  name: string,
  reason: string,
  type: (dialog: ReturnType<typeof dialogOf>) => unknown
) => {
  await page.getByRole("button", { name, exact: true }).click()
  const dialog = dialogOf(page, name)
  const go = dialog.getByRole("button", { name, exact: true })
  await type(dialog)
  expect(await go.isDisabled()).toBe(true)
  await dialog.getByLabel("Reason").fill(reason)
  await go.click()
  await dialog.waitFor({ state: "detached" })
  await page.getByText(`Done: ${name}.`).waitFor()
}
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true })

/** Wide and on a phone, and so high that the whole page is seen. */
const LOOKS = [LIGHT, PHONE_DARK].map(({ name, options }) => ({
  name,
  options: { ...options, viewport: { width: options.viewport?.width ?? 1280, height: 2400 } }
}))

describeInChromium("the administration", start, (stage) => {
  beforeAll(async () => {
    for (let index = 0; index < MANY; index += 1) {
      await fetchAs(stage, `p${String(index).padStart(2, "0")}@example.org`, "/api/me")
    }
    expect([await chatAs(stage, ANN), await chatAs(stage, ANN)]).toEqual([200, 200])
    const buyer = await openAs(stage, { user: "buyer@example.org", path: "/billing" })
    await subscribe(buyer.page, "Pro")
  })

  it("an owner finds a person, changes the plan, grants and takes credits, and blocks, each with its entry", async () => {
    const { page } = await openAs(stage, { user: OWNER, role: "owner" })
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Administration" }).click()
    await heading(page, "People").waitFor()
    await page.getByLabel("Find a person").fill("ANN/")
    await page.getByRole("link", { name: ANN }).click()
    await heading(page, ANN).waitFor()
    const now = section(page, "Plan, credits and access")
    await now.getByText("Nothing is paid.").waitFor()
    expect(await now.textContent()).toContain("Planfree")
    await act(page, "Change the plan", "a pilot", async (dialog) => {
      await dialog.getByLabel("Plan").selectOption("pro")
      await dialog.getByLabel("Pin it").check()
    })
    await now.getByText("Pinned: payments do not change it.").waitFor()
    await act(page, "Grant credits", "an apology", (dialog) => dialog.getByLabel("Credits").fill("50"))
    await now.getByText("50", { exact: true }).waitFor()
    await act(page, "Correct the balance", "granted twice", (dialog) => dialog.getByLabel("Credits").fill("-7"))
    await act(page, "Unpin the plan", "the pilot ended", () => undefined)
    await act(page, "Sign out everywhere", "a lost laptop", () => undefined)
    await act(page, "Block", "abuse", () => undefined)
    await now.getByText("Blocked", { exact: true }).waitFor()
    expect(await chatAs(stage, ANN)).toBe(403)
    const audit = section(page, "Actions of operators").getByRole("row")
    await expect.poll(() => audit.count()).toBe(7)
    const rows = await audit.evaluateAll((all) =>
      all.slice(1).map((row) => [...row.children].slice(1).map((cell) => cell.textContent))
    )
    const by = `user:${OWNER}`
    const address = expect.stringMatching(/^(127\.0\.0\.1|::1)$/)
    expect(rows.toReversed()).toEqual([
      [by, "users tier", "pro, pinned", "a pilot", address],
      [by, "credits grant", expect.stringMatching(/^50 credits under the key grant:dashboard:/), "an apology", address],
      [by, "credits adjust", expect.stringMatching(/^-7 credits/), "granted twice", address],
      [by, "users tier", "unpinned", "the pilot ended", address],
      [by, "users sign-out", "", "a lost laptop", address],
      [by, "users block", "", "abuse", address]
    ])
    await act(page, "Unblock", "a mistake", () => undefined)
    await section(page, "History").getByText("Correction").waitFor()
    await part(page, "Audit").click()
    await page.getByLabel("Only actions on").fill(ANN)
    await page.getByRole("row", { name: /a mistake/ }).waitFor()
    expect(await page.getByRole("row").count()).toBe(8)
  })

  it("the list has pages, and shows blocked people alone if it is asked", async () => {
    const { page } = await openAs(stage, { user: OWNER, role: "owner", path: "/admin/people" })
    const rows = section(page, "People").getByRole("row")
    await expect.poll(() => rows.count()).toBe(51)
    await page.getByRole("button", { name: "Show more" }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(MANY)
    await fetchAs(
      stage,
      OWNER,
      "/api/admin/users/p03%40example.org/block",
      { method: "POST", headers: { "content-type": "application/json" }, body: '{"reason":"abuse"}' },
      "owner"
    )
    await page.getByLabel("Only blocked people").check()
    await page.getByRole("row", { name: /p03@example.org.*Blocked since/ }).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel("Find a person").fill("nothing like it")
    await page.getByText("There is no such person.").waitFor()
  })

  it("money shows the charges and payments of today, charts with the same numbers as tables, and a verification", async () => {
    const { page } = await openAs(stage, { user: OWNER, role: "owner", path: "/admin/money" })
    const today = section(page, "Today")
    await today.getByText("1 payment", { exact: true }).waitFor()
    expect(await today.textContent()).toMatch(/Charged2 credits2 repliesPaid\D*\d+.*1 paymentRefused payments0/)
    for (const [name, cell] of [
      ["Charged by day", "2 credits"],
      [/^Paid by day in [A-Z]{3}$/, /\d/]
    ] as const) {
      const days = section(page, name)
      await days.getByRole("figure", { name: /The table has the same numbers/ }).waitFor()
      await days.getByText("Table", { exact: true }).click()
      expect(await days.getByRole("row").count()).toBe(31)
      expect(await days.getByRole("row").nth(1).textContent()).toMatch(cell)
      await days.getByText("Chart", { exact: true }).click()
    }
    expect(await section(page, "Charged by model").getByRole("row").nth(1).textContent()).toMatch(/222$/)
    await page.getByLabel("State").selectOption({ label: "To refund" })
    await page.getByText("They gave no credits.").waitFor()
    await section(page, "Verification")
      .getByText(/daily verification/)
      .waitFor()
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByText(/^\d+ accounts compared: 0 differences\.$/).waitFor()
  })

  it("health shows the workers, the queue, the webhooks and the refusals", async () => {
    const { page } = await openAs(stage, { user: OWNER, role: "owner", path: "/admin/health" })
    const work = section(page, "Background work")
    await work.waitFor()
    expect(await work.textContent()).toMatch(/Workers alive1.*Jobs due0Nothing waits\./)
    await page.getByText("No webhook or hook is set up.").waitFor()
    await section(page, "Refused requests").waitFor()
  })

  it("support reads everything, sees no acting button, and is refused each action by the server", async () => {
    const dashboard = await openAs(stage, {
      user: "sue@example.org",
      role: "support",
      path: `/admin/people/${encodeURIComponent(ANN)}`
    })
    const { page } = dashboard
    await page.getByText("With your role you read. An owner acts.").waitFor()
    await section(page, "Actions of operators").getByText("a mistake").waitFor()
    for (const name of ["Change the plan", "Grant credits", "Correct the balance", "Sign out everywhere", "Block"]) {
      expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(0)
    }
    for (const name of ["Money", "Health", "Audit", "People"]) {
      await part(page, name).click()
      await heading(page, name).waitFor()
    }
    const reason = "none"
    const statuses = await Promise.all(
      [
        ["block", { reason }],
        ["unblock", { reason }],
        ["sign-out", { reason }],
        ["grants", { amount: 5, key: "k", reason }],
        ["adjustments", { amount: 5, key: "k", reason }],
        ["tier", { tier: "pro", reason }],
        ["unpin", { reason }]
      ].map(async ([name, data]) => {
        const path = `/api/admin/users/${encodeURIComponent(ANN)}/${String(name)}`
        return (await page.request.fetch(path, { method: name === "tier" ? "PUT" : "POST", data })).status()
      })
    )
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403])
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("a person without a role finds no administration, and is refused its answers", async () => {
    const { page } = await openAs(stage, { user: "ben@example.org" })
    expect(await page.getByRole("link", { name: "Administration" }).count()).toBe(0)
    for (const path of [
      "/admin",
      "/admin/people",
      "/admin/money",
      "/admin/documents",
      "/admin/health",
      "/admin/audit",
      "/admin/people/x"
    ]) {
      await page.goto(path)
      await page.getByRole("heading", { name: "There is nothing here" }).waitFor()
    }
    for (const path of [
      "users",
      "users/x",
      "audit",
      "health",
      "money",
      "payments",
      "reindexing",
      "reindexing/estimate",
      "verification"
    ]) {
      expect((await page.request.get(`/api/admin/${path}`)).status(), path).toBe(403)
    }
  })

  it("an owner whose sign-in is old is led to a new one, and nothing is done before", async () => {
    const path = `/admin/people/${encodeURIComponent("p07@example.org")}`
    const { page } = await openAs(stage, { user: OWNER, role: "owner", path, secondsAgo: 7_200 })
    // By the keyboard alone.
    await page.getByRole("button", { name: "Block", exact: true }).press("Enter")
    await dialogOf(page, "Block").getByLabel("Reason").fill("abuse")
    await page.keyboard.press("Enter")
    await dialogOf(page, "Block").getByText("You signed in a while ago.").waitFor()
    const again = dialogOf(page, "Block").getByRole("link", { name: "Sign in again" })
    expect(await again.getAttribute("href")).toBe("https://sign-in.example.org/again")
    await page.keyboard.press("Escape")
    await dialogOf(page, "Block").waitFor({ state: "detached" })
    expect(await section(page, "Plan, credits and access").textContent()).toContain("AccessOpen")
    await page.getByText("Nothing was done.").waitFor()
  })

  it.each(LOOKS)("breaks no rule of accessibility and does not scroll sideways, $name", async (look) => {
    const { page } = await openAs(stage, { user: OWNER, role: "owner", path: "/admin", options: look.options })
    for (const name of ["People", "Money", "Documents", "Health", "Audit"]) {
      await part(page, name).click()
      await heading(page, name).waitFor()
      await page.getByRole("main").getByRole("region").first().waitFor()
      if (name === "Money") await page.getByRole("figure").nth(1).waitFor()
      await page.waitForLoadState("networkidle")
      await checkLook(page, look, `admin-${name}`)
    }
    await page.goto(`/admin/people/${encodeURIComponent(ANN)}`)
    await section(page, "Actions of operators").getByText("a mistake").waitFor()
    await checkLook(page, look, "admin-person")
    await page.getByRole("button", { name: "Change the plan" }).click()
    await dialogOf(page, "Change the plan").getByLabel("Reason").waitFor()
    await checkLook(page, look, "admin-action")
  })

  it("speaks German", async () => {
    const { page } = await openAs(stage, {
      user: OWNER,
      role: "owner",
      path: "/admin/money",
      options: { locale: "de-DE" }
    })
    await heading(page, "Geld").waitFor()
    await section(page, "Heute").getByText("1 Zahlung", { exact: true }).waitFor()
    await checkLook(page, LIGHT, "admin-german")
    await page.goto("/admin/health")
    await section(page, "Hintergrundarbeit").getByText("Laufende Worker").waitFor()
  })
})
