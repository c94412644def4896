import { afterAll, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import { type IdentityProvider, startIdentityProvider } from "../support/identityProvider.ts"
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
})
