import { expect, it } from "vitest"
import { describeInChromium } from "../support/describeInChromium.ts"
import { checkLook, type Look } from "./Look.ts"

/** The pages of the navigation: a new one is added here and is checked in every look. */
const PAGES = ["New chat", "Documents", "Bots", "Usage", "Plan and billing", "Settings"]

/** Checks each page as a new person sees it. */
export const everyPage = (looks: ReadonlyArray<Look>): void =>
  describeInChromium("each page", {}, (stage) => {
    it.each(looks)("breaks no rule of accessibility and does not scroll sideways, $name", async (look) => {
      const dashboard = await stage.open(look.options)
      const { page } = dashboard
      await page.getByLabel("Email address").waitFor()
      await checkLook(page, look, "sign-in")
      await dashboard.signIn(`${look.name}@example.org`)
      for (const each of PAGES) {
        await dashboard.goTo(each)
        await checkLook(page, look, each)
      }
      expect(dashboard.complaintsBut()).toEqual([])
    })
  })
