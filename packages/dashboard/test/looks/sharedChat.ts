import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"
import type { WindowLook } from "./WindowLook.ts"

/** A chat is shared, in each of these appearances. */
export const sharedChat = (stage: Stage, looks: ReadonlyArray<WindowLook>): void => {
  it.each(looks)(
    "is shared by a link that a stranger reads, and that its owner ends, at $width px in $colorScheme",
    async ({ colorScheme, height, width }) => {
      const options = { viewport: { width, height }, colorScheme }
      const owner = await stage.openAs(`sharer-${width}@example.org`, { options })
      const { page } = owner
      await owner.ask("Where do storks spend the winter?")
      await owner.replied()
      await owner.openMenu()
      await owner.navigation
        .getByRole("button", { name: /^Options of the chat/ })
        .first()
        .click()
      await page.getByRole("menuitem", { name: "Share" }).click()
      const dialog = page.getByRole("dialog", { name: "Share this chat" })
      await dialog.getByText("Anyone with the link can read").waitFor()
      expect(await brokenRules(page)).toEqual([])
      await dialog.getByRole("button", { name: "Create a link" }).click()
      const link = dialog.getByRole("textbox", { name: "Link to this chat" })
      await link.waitFor()
      await dialog.getByText(/^Shared on/).waitFor()
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `share-dialog-${width}`)

      const stranger = await stage.open(options)
      await stranger.page.goto(await link.inputValue())
      await stranger.page.getByText("Where do storks spend the winter?", { exact: true }).last().waitFor()
      await stranger.page.locator("[data-role=assistant] [data-markdown]").waitFor()
      expect(await stranger.page.getByLabel("Your message").count()).toBe(0)
      expect(await brokenRules(stranger.page)).toEqual([])
      await screenshot(stranger.page, `shared-chat-${width}`)

      await dialog.getByRole("button", { name: "End the link" }).click()
      await dialog.getByRole("button", { name: "Create a link" }).waitFor()
      await stranger.page.reload()
      await stranger.page.getByText("This link leads nowhere").waitFor()
      expect(await brokenRules(stranger.page)).toEqual([])
      await screenshot(stranger.page, `shared-gone-${width}`)
      await stranger.page.getByRole("link", { name: "Start a chat of your own" }).click()
      await stranger.page.getByLabel("Email address").waitFor()
      expect(owner.complaintsBut()).toEqual([])
      expect(stranger.complaintsBut(/404/)).toEqual([])
    }
  )

  it.each(looks)(
    "is rated, with a comment for a bad reply, and the rating is there after a reload, at $width px in $colorScheme",
    async ({ colorScheme, height, width }) => {
      const options = { viewport: { width, height }, colorScheme }
      const dashboard = await stage.openAs(`rater-${width}@example.org`, { options })
      const { page } = dashboard
      await dashboard.ask("Where do storks spend the winter?")
      await dashboard.replied()
      const good = page.getByRole("button", { name: "Good reply" })
      const bad = page.getByRole("button", { name: "Bad reply" })
      await bad.click()
      const dialog = page.getByRole("dialog", { name: "What was wrong?" })
      await dialog.getByLabel("Your comment").fill("It names no country.")
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `rating-dialog-${width}`)
      await dialog.getByRole("button", { name: "Send" }).click()
      await dialog.waitFor({ state: "detached" })
      const pressed = () => Promise.all([good.getAttribute("aria-pressed"), bad.getAttribute("aria-pressed")])
      await expect.poll(pressed).toEqual(["false", "true"])
      await screenshot(page, `rated-${width}`)
      await page.reload()
      await expect.poll(pressed).toEqual(["false", "true"])
      await bad.click()
      await expect.poll(pressed).toEqual(["false", "false"])
      // The button is pressed before the server has answered; a reload would end the request.
      await Promise.all([page.waitForResponse((response) => response.url().endsWith("/rating")), good.click()])
      await expect.poll(pressed).toEqual(["true", "false"])
      await page.reload()
      await expect.poll(pressed).toEqual(["true", "false"])
      expect(dashboard.complaintsBut()).toEqual([])
    }
  )
}
