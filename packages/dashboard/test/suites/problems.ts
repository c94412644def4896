import { describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { CuttingProxy } from "../support/CuttingProxy.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { leasePdf, lockedPdf, textNamedPdf } from "../support/files.ts"

/** The texts and actions after a failure, for a person with three credits. */
export const problems = (stage: Stage): void => {
  describe("a person for whom something goes wrong", () => {
    it("cannot choose a document that could not be read, and reads why a file is refused", async () => {
      const dashboard = await stage.openAs("locked@example.org")
      const { page } = dashboard
      await dashboard.add(lockedPdf)
      await dashboard.documentsButton.filter({ hasText: "No documents" }).waitFor()
      await dashboard.documentsButton.click()
      const dialog = page.getByRole("dialog")
      expect(await dialog.getByRole("checkbox", { name: "locked.pdf" }).isDisabled()).toBe(true)
      await dialog.locator('input[type="file"]').setInputFiles({
        name: textNamedPdf.name,
        mimeType: "application/pdf",
        buffer: Buffer.from(textNamedPdf.bytes)
      })
      await dialog.getByRole("alert").waitFor()
      await screenshot(page, "refused-file")
      expect(dashboard.complaintsBut(/status of 400 .*\/api\/upload/)).toEqual([])
    })

    it("reads that the balance pays for a shorter reply, and at its end the remaining credits and when more come", async () => {
      const dashboard = await stage.openAs("poor@example.org")
      const { page } = dashboard
      await dashboard.ask("Hello?")
      await page.getByText(/buys a shorter reply than usual: at most [\d,]+ tokens/).waitFor()
      await dashboard.replied()
      await expect.poll(() => dashboard.balance()).toBe(2)
      await dashboard.ask("And again?")
      await dashboard.replied()
      await expect.poll(() => dashboard.balance()).toBe(1)
      await dashboard.ask("And with the last one?")
      await dashboard.replied()
      await expect.poll(() => dashboard.balance()).toBe(0)

      await dashboard.ask("And a fourth time?")
      const alert = page.getByRole("alert")
      await alert.getByText("This would cost more than you have: 0 credits are available.").waitFor()
      expect(await alert.textContent()).toMatch(/Your next monthly credits come on [A-Z][a-z]+ \d+, \d{4}\./)
      await expect.poll(() => dashboard.field.inputValue()).toBe("And a fourth time?")
      expect(await page.locator("[data-role]").count(), "nothing unanswered stays in the transcript").toBe(6)
      await screenshot(page, "insufficient-credits")
      await page.getByRole("button", { name: "Dismiss this message" }).click()
      await alert.waitFor({ state: "detached" })
      expect(dashboard.complaintsBut(/status of 402 .*\/api\/chat/)).toEqual([])
    })

    it("does not wait for ever for a reply that the balance does not pay for", async () => {
      const dashboard = await stage.openAs("refused@example.org")
      const { page } = dashboard
      const spend = () => page.request.post("/api/chat", { data: { messages: [{ role: "user", content: "Hello?" }] } })
      while ((await spend()).status() !== 402);
      const heard = await dashboard.listen()
      await dashboard.ask("Hello?")
      await page.getByRole("alert").getByText("This would cost more than you have").waitFor()
      await expect.poll(async () => (await heard()).now).toEqual([])
      expect(dashboard.complaintsBut(/status of 402 .*\/api\/chat/)).toEqual([])
    })

    it("returns to the sign-in page when the session ends, and back to the same chat and question after it", async () => {
      const dashboard = await stage.openAs("ended@example.org")
      const { page } = dashboard
      await page.context().clearCookies()
      await dashboard.ask("Am I still here?")
      await page.getByText("Your session has ended. Sign in again; nothing that you wrote is lost.").waitFor()
      expect(await dashboard.field.isVisible()).toBe(false)
      await screenshot(page, "session-ended")
      await dashboard.signIn("ended@example.org")
      await expect.poll(() => dashboard.field.inputValue()).toBe("Am I still here?")
      expect(dashboard.complaintsBut(/status of 401 /)).toEqual([])
    })

    it("reads at an unknown address that the page does not exist, and can start again", async () => {
      const dashboard = await stage.openAs("nowhere@example.org")
      const { page } = dashboard
      const answer = await page.goto("/no/such/page")
      expect(answer?.status()).toBe(404)
      await page.getByRole("heading", { level: 1, name: "There is nothing here" }).waitFor()
      await screenshot(page, "not-found")
      await page.getByRole("link", { name: "Start a new chat" }).click()
      await dashboard.field.waitFor()
      expect(dashboard.complaintsBut(/status of 404 .*\/no\/such\/page/)).toEqual([])
    })

    it("sees no model that this server cannot run, where a model is chosen, in the plans and for bots", async () => {
      const dashboard = await stage.openAs("some-models@example.org")
      const { page } = dashboard
      await page.getByRole("button", { name: /^Model: GPT-6 Luna$/ }).click()
      const models = page.getByRole("menuitemradio")
      await models.filter({ hasText: "GPT-6 Luna" }).waitFor()
      const names = (await models.allTextContents()).map((text) => /^(.*?)(?=Credits|With)/.exec(text)?.[0])
      expect(names).toEqual(["GPT-6 Luna", "GPT-6.1 Terra", "GPT-6.1 Sol"])
      await page.keyboard.press("Escape")
      await dashboard.goTo("Plan and billing")
      const plans = page.getByRole("region", { name: "Plans" })
      await plans
        .getByText(/GPT-6\.1 Terra/)
        .first()
        .waitFor()
      expect(await plans.textContent()).not.toMatch(/Claude|model-b|stand-in/)
      await page.goto("/bots/new")
      await page.getByLabel("Model").waitFor()
      expect(await page.getByLabel("Model").textContent()).not.toMatch(/Claude|stand-in/)
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("reads what is wrong with the address at sign-in", async () => {
      const dashboard = await stage.open()
      const { page } = dashboard
      await page.route("**/dev/sign-in", (route) =>
        route.fulfill({
          status: 400,
          contentType: "application/problem+json",
          body: JSON.stringify({ status: 400, code: "unheard_of", detail: "Expected an address." })
        })
      )
      await page.getByLabel("Email address").fill("nobody@example.org")
      await page.keyboard.press("Enter")
      await page.getByRole("alert").getByText("Expected an address.").waitFor()
      expect(dashboard.complaintsBut(/status of 400 .*\/dev\/sign-in/)).toEqual([])
    })

    it("sees that the server cannot be reached; the question is kept, and answered when it is back", async () => {
      const dashboard = await stage.openAs("offline@example.org")
      const { page } = dashboard
      await page.context().setOffline(true)
      await dashboard.ask("Is anybody there?")
      await page.getByRole("alert").getByText("The server cannot be reached.").waitFor()
      await expect.poll(() => dashboard.field.inputValue()).toBe("Is anybody there?")
      await page.context().setOffline(false)
      await dashboard.field.press("Enter")
      await dashboard.replied()
      expect(await page.getByRole("alert").count()).toBe(0)
      expect(dashboard.complaintsBut(/net::ERR_/)).toEqual([])
    })
  })
}

/** A broken connection, at a server whose replies come in many pieces. */
export const brokenConnection = (stage: Stage): void => {
  describe("a person whose connection breaks", () => {
    it("finds a reply again whose connection broke, and is charged once", async () => {
      const proxy = await CuttingProxy.start(stage.server.url)
      try {
        const dashboard = await stage.openAs("cut@example.org", { url: proxy.url })
        proxy.cutReplies(true)
        await dashboard.ask("What can you do?")
        await expect.poll(async () => (await dashboard.words.textContent()) ?? "").toContain("What can you do?")
        await dashboard.replied()
        await expect.poll(() => dashboard.balance()).toBe(99)
        expect(await dashboard.replies.count()).toBe(1)
        expect(dashboard.complaintsBut(/net::ERR_\w+ .*\/api\/chat/)).toEqual([])
      } finally {
        await proxy.stop()
      }
    })
  })
}

/** Further failures; other tests show the server's responses to them. */
export const furtherProblems = (stage: Stage): void => {
  describe("a person for whom something else goes wrong", () => {
    it("reads that the plan does not include a model, in words of the plan", async () => {
      const dashboard = await stage.openAs("model@example.org")
      const { page } = dashboard
      await page.route("**/api/models", async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as { models: Array<{ allowed: boolean }> }
        await route.fulfill({ json: { ...body, models: body.models.map((model) => ({ ...model, allowed: true })) } })
      })
      await page.reload()
      await page.getByRole("button", { name: /^Model: GPT-6 Luna/ }).click()
      await page.getByRole("menuitemradio", { name: /Claude Opus/ }).click()
      await dashboard.ask("Hello?")
      await page.getByRole("alert").getByText("Your plan does not include this model. Choose another one.").waitFor()
      await expect.poll(() => dashboard.field.inputValue()).toBe("Hello?")
      expect(dashboard.complaintsBut(/status of 403 .*\/api\/chat/)).toEqual([])
    })

    it("reads which attached document a reply left out because it is not ready", async () => {
      const dashboard = await stage.openAs("pending@example.org", { documents: [leasePdf] })
      const { page } = dashboard
      await dashboard.documentsButton.filter({ hasText: /^1 document$/ }).waitFor()
      await page.route("**/api/chat", async (route) => {
        const { documentIds } = route.request().postDataJSON()
        const response = await route.fetch()
        await route.fulfill({
          response,
          headers: { ...response.headers(), "x-documents-pending": documentIds.join(",") }
        })
      })
      await dashboard.ask("How high is the deposit?")
      await dashboard.reply.getByText("Left out, because not ready: lease.pdf.").waitFor()
      await dashboard.replied()
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("finds no chat under the address of another person's chat, and can start again", async () => {
      const dashboard = await stage.openAs("lost@example.org")
      const { page } = dashboard
      for (const id of ["00000000-0000-4000-8000-000000000000", "mistyped"]) {
        await page.goto(`/chats/${id}`)
        await page.getByText("There is no such chat. It may have been deleted.").waitFor()
      }
      await page.getByRole("link", { name: "Start a new chat" }).click()
      await dashboard.ask("Hello?")
      await dashboard.replied()
      expect(dashboard.complaintsBut(/status of 40[04] .*\/api\/chats\//)).toEqual([])
    })
  })
}
