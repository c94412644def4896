import { readFile } from "node:fs/promises"
import { afterAll, expect, it } from "vitest"
import { codeOf, linkOf, type SmtpStandIn, startSmtp } from "../../../../test/support/smtpStandIn.ts"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import { type IdentityProvider, sessionOf, startIdentityProvider } from "../support/identityProvider.ts"
import { startServer } from "../support/runningServer.ts"

const SECRET = "an identity provider's secret, long enough for HS256"

let provider: IdentityProvider | undefined
const startWithProvider = async () => {
  provider = await startIdentityProvider("ann@example.org", SECRET)
  const settings = {
    PARLEY_SESSION_SECRET: SECRET,
    PARLEY_SIGN_IN_URL: provider.signInUrl,
    PARLEY_SIGN_OUT_URL: provider.signOutUrl
  }
  const server = await startServer({}, settings)
  provider.returnTo(`${server.url}/usage`)
  return server
}

describeInChromium("a person of an identity provider", startWithProvider, (stage) => {
  afterAll(() => provider?.stop())

  it("signs in and out at its addresses, comes back to where they were, and is asked for no password here", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    const signIn = page.getByRole("link", { name: "Continue to sign in" })
    await signIn.waitFor()
    expect(await page.getByRole("textbox").count()).toBe(0)
    await screenshot(page, "sign-in-elsewhere")
    await signIn.click()
    await page.getByRole("main").getByRole("heading", { level: 1, name: "Usage" }).waitFor()
    await page.getByRole("button", { name: /^Your account: ann@example\.org/ }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await signIn.waitFor()
    expect(await page.context().cookies()).toEqual([])
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("exports their data and deletes their account after signing in again, if the sign-in was long ago", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    const value = sessionOf("ann@example.org", SECRET, 7_200)
    await page.context().addCookies([{ name: "parley_session", value, url: stage.server.url }])
    await page.goto("/settings")
    await page.getByRole("button", { name: "Download" }).click()
    await page.getByRole("alert").getByText("You signed in a while ago.").waitFor()
    expect(await brokenRules(page)).toEqual([])
    await screenshot(page, "own-data-sign-in-again")
    await page.getByRole("link", { name: "Sign in again" }).click()
    await page.getByRole("main").getByRole("heading", { level: 1, name: "Usage" }).waitFor()
    await dashboard.goTo("New chat")
    await dashboard.ask("What do you know of me?")
    await dashboard.replied()
    await dashboard.goTo("Settings")
    const saved = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download" }).click()
    const text = await readFile(await (await saved).path(), "utf8")
    expect(text).toContain("What do you know of me?")
    expect(JSON.parse(text.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ kind: "end" })
    await page.getByRole("button", { name: "Delete account" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete your account?" })
    await dialog.getByText("This cannot be undone.").waitFor()
    expect(await brokenRules(page)).toEqual([])
    await screenshot(page, "own-data-delete")
    const [cookie] = await page.context().cookies()
    await dialog.getByRole("button", { name: "Delete account" }).click()
    await page.getByRole("link", { name: "Continue to sign in" }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    const again = await page.request.get("/api/me", { headers: { cookie: `parley_session=${cookie?.value}` } })
    expect(again.status()).toBe(401)
    // The other pages of the account are read again when it ends, and refused.
    expect(dashboard.complaintsBut(/status of 40[13]/, /favicon/)).toEqual([])
  })
})

let smtp: SmtpStandIn
const startWithMail = async () => {
  smtp = await startSmtp()
  return startServer({}, { PARLEY_SMTP_URL: smtp.url, PARLEY_SMTP_FROM: "Parley <sign-in@parley.example>" })
}

describeInChromium("a person who signs in by e-mail", startWithMail, (stage) => {
  afterAll(() => smtp.stop())

  it("is led from the dashboard to the page, and by the mail's link and one button back into the dashboard", async () => {
    const { page } = await stage.open()
    await page.getByRole("link", { name: "Continue to sign in" }).click()
    await page.getByRole("textbox", { name: "E-mail address" }).fill("Ann@example.org")
    await screenshot(page, "sign-in-by-email")
    await page.getByRole("button", { name: "Send the mail" }).click()
    await page.getByRole("status").waitFor()
    await screenshot(page, "sign-in-code")
    expect(await brokenRules(page)).toEqual([])
    const mail = await smtp.mailTo("ann@example.org", 1)
    await page.goto(linkOf(mail))
    expect(await brokenRules(page)).toEqual([])
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("button", { name: /^Your account: ann@example\.org/ }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("link", { name: "Continue to sign in" }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it("signs in without scripts, in German, with the code that the link shows in another browser", async () => {
    const { page } = await stage.open()
    const browser = page.context().browser()
    if (browser === null) throw new Error("The page has no browser.")
    const asking = await browser.newContext({ baseURL: stage.server.url, javaScriptEnabled: false, locale: "de-DE" })
    const other = await browser.newContext({ locale: "de-DE" })
    const here = await asking.newPage()
    await here.goto("/sign-in")
    await here.getByRole("textbox", { name: "E-Mail-Adresse" }).fill("ben@example.org")
    await here.getByRole("button", { name: "Mail senden" }).click()
    const mail = await smtp.mailTo("ben@example.org", 1)
    const there = await other.newPage()
    await there.goto(linkOf(mail))
    const code = await there.getByText(codeOf(mail)).innerText()
    expect(await there.getByRole("button", { name: "Anmelden" }).count()).toBe(0)
    await here.getByRole("textbox", { name: "Code aus der Mail" }).fill("falsch00")
    await here.getByRole("button", { name: "Anmelden" }).click()
    await here.getByRole("alert").waitFor()
    await here.getByRole("textbox", { name: "Code aus der Mail" }).fill(code.toLowerCase())
    await here.getByRole("button", { name: "Anmelden" }).click()
    await here.waitForURL(`${stage.server.url}/`)
    const names = async (context: typeof asking) => (await context.cookies()).map(({ name }) => name)
    expect([await names(asking), await names(other)]).toEqual([["parley_session"], []])
    await Promise.all([asking.close(), other.close()])
  })
})
