import { expect } from "vitest"
import { workerBrowser } from "./chromium.ts"

/** A person's visit to the page of a project of Next.js: from the sign-in, over a reload, to the sign-out. */
export const visitNextPage = async (url: string): Promise<void> => {
  const context = await (await workerBrowser()).newContext()
  try {
    const page = await context.newPage()
    // The first request opens the database.
    page.setDefaultTimeout(120_000)
    await page.goto(url)
    await page.getByLabel("Address").fill("bea@example.com")
    await page.getByRole("button", { name: "Sign in" }).click()
    const buffer = Buffer.from("Storks return to Alsace in March and nest on chimneys.")
    await page.getByLabel("Document").setInputFiles({ name: "storks.txt", mimeType: "text/plain", buffer })
    await page.getByText("storks.txt: ready").waitFor()
    await page.getByLabel("Message").fill("When do storks return?")
    await page.getByRole("button", { name: "Send" }).click()
    const reply = page.locator("article").last()
    await expect.poll(() => reply.textContent()).toMatch(/Storks return to Alsace[^]*\[1\] storks\.txt 1 credits/)
    await page.reload()
    await expect.poll(() => page.locator("article").allTextContents()).toHaveLength(2)
    await page.getByRole("link", { name: "New chat" }).click()
    await page.getByText("99 credits").waitFor()
    expect(await page.locator("article").count()).toBe(0)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Address").waitFor()
    expect((await context.cookies()).filter(({ name }) => name === "parley_session")).toEqual([])
  } finally {
    await context.close()
  }
}
