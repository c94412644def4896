import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { leasePdf } from "../support/files.ts"
import { upload } from "../support/upload.ts"
import type { WindowLook } from "./WindowLook.ts"

/** A project from its beginning to its chats, in each of these appearances. */
export const wholeProject = (stage: Stage, looks: ReadonlyArray<WindowLook>): void => {
  it.each(looks)(
    "gives its chats documents and instructions, and takes a chat in and out, at $width px in $colorScheme",
    async ({ colorScheme, height, width }) => {
      const options = { viewport: { width, height }, colorScheme }
      const dashboard = await stage.openAs(`planner-${width}@example.org`, { options })
      const { page } = dashboard
      await upload(page.context().request, [leasePdf])
      await page.reload()
      await dashboard.ask("Where do storks spend the winter?")
      await dashboard.replied()

      await dashboard.goTo("Projects")
      await page.getByText("You have no projects yet.").waitFor()
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `projects-none-${width}`)
      await page.getByRole("button", { name: "New project" }).click()
      await page.getByLabel("Name").fill("The workshop")
      expect(await brokenRules(page)).toEqual([])
      await page.getByRole("button", { name: "Create" }).click()
      await page.getByRole("heading", { name: "The workshop" }).waitFor()
      await page.getByLabel("Instructions").fill("Name the page of the lease.")
      await page.getByRole("checkbox", { name: /^lease\.pdf/ }).check()
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Saved.").waitFor()
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `project-${width}`)

      await page.getByRole("link", { name: "New chat in this project" }).click()
      const note = page.getByText("Project: The workshop · 1 document")
      await note.waitFor()
      await dashboard.ask("How long is the notice of the lease?")
      await dashboard.replied()
      await note.waitFor()
      await page
        .getByRole("button", { name: /lease\.pdf/ })
        .first()
        .waitFor()
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `chat-in-project-${width}`)

      await dashboard.openMenu()
      await dashboard.navigation.getByRole("button", { name: /^Options of the chat Where do storks/ }).click()
      await page.getByRole("menuitem", { name: "Move to a project" }).click()
      const dialog = page.getByRole("dialog", { name: "Move the chat" })
      await dialog.getByLabel("Project").selectOption("The workshop")
      expect(await brokenRules(page)).toEqual([])
      await screenshot(page, `move-chat-${width}`)
      await dialog.getByRole("button", { name: "Move" }).click()
      await dialog.waitFor({ state: "detached" })
      // On a phone, the menu covers the page.
      await page.goto(new URL("/projects", page.url()).href)
      await page.getByRole("main").getByRole("link", { name: "The workshop" }).click()
      const chats = page.getByRole("region", { name: "Chats in this project" }).getByRole("listitem")
      await expect.poll(() => chats.count()).toBe(2)
      await screenshot(page, `project-chats-${width}`)

      await page.getByRole("button", { name: /^Options of the project/ }).click()
      await page.getByRole("menuitem", { name: "Delete the project" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await page.getByText("You have no projects yet.").waitFor()
      await dashboard.openMenu()
      await dashboard.navigation.getByRole("link", { name: /notice of the lease/ }).click()
      await page.getByText("No document is attached").waitFor()
      expect(dashboard.complaintsBut()).toEqual([])
    }
  )
}
