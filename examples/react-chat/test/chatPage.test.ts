import { createTestParley } from "@parley/core/testing/parley"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { whereChromiumIs } from "../../../test/support/chromium.ts"
import { withPage } from "./openPage.ts"

const converse = async (page: Page): Promise<void> => {
  const buffer = Buffer.from("Storks return in March.")
  await page.getByLabel("Document").setInputFiles({ name: "storks.txt", mimeType: "text/plain", buffer })
  await page.getByText("storks.txt: ready").waitFor()
  await page.getByLabel("Message").fill("When do storks return?")
  await page.getByRole("button", { name: "Send" }).click()
  const reply = page.locator("article.assistant")
  await expect.poll(() => reply.textContent()).toMatch(/^In March \[1\]\.\[1\] storks\.txt \d+ credits$/)
  await expect
    .poll(() =>
      page
        .getByText(/^\d+ credits$/)
        .first()
        .textContent()
    )
    .not.toBe("100 credits")
}

whereChromiumIs(() => {
  it("answers from a document that was uploaded, and shows the source and the cost", async () => {
    await using parley = await createTestParley()
    parley.model.says(["In ", "March [1]."])
    await withPage(parley, "main.tsx", converse)
  })
})
