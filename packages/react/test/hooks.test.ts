import { fileURLToPath } from "node:url"
import type { BrowserContext, Page } from "playwright-core"
import { build, type Rolldown } from "vite"
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { inTime, whereChromiumIs, workerBrowser } from "../../../test/support/chromium.ts"
import { ScriptedModel } from "../../adapters-http/test/support/ScriptedModel.ts"
import { cookieFor, startServer, type TestServer } from "../../adapters-http/test/support/startServer.ts"
import type { ParleyClient } from "@parley/client"
import { PNG } from "../../adapters-http/test/support/png.ts"
import { CuttingProxy } from "../../dashboard/test/support/CuttingProxy.ts"
import type { DocumentsState, ParleyChat } from "../src/index.ts"

type Hooks = typeof globalThis & {
  readonly hooks: {
    readonly chat: ParleyChat
    readonly documents: DocumentsState
    readonly setImageIds: (imageIds: ReadonlyArray<string> | undefined) => void
    readonly upload: ParleyClient["images"]["upload"]
  }
}

const bundle = async (): Promise<string> => {
  const entry = fileURLToPath(new URL("support/hooksPage.ts", import.meta.url))
  const built = (await build({
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { conditions: ["@parley/source", "module", "browser", "development"] },
    build: { write: false, minify: false, lib: { entry, formats: ["iife"], name: "page" } }
  })) as ReadonlyArray<Rolldown.RolldownOutput>
  const [chunk] = built.flatMap(({ output }) => output)
  if (chunk?.type !== "chunk") throw new Error("Nothing was bundled.")
  return chunk.code
}

describe("the hooks, in a page", () => {
  whereChromiumIs(() => {
    let server: TestServer
    let code: string
    const contexts: Array<BrowserContext> = []
    beforeAll(async () => {
      server = await startServer()
      code = await bundle()
    })
    afterAll(() => server.close())
    afterEach(async () => {
      server.model.answer = new ScriptedModel().answer
      await inTime(Promise.all(contexts.splice(0).map((context) => context.close())))
    })

    const visit = async (user: string, url = server.url) => {
      const context = await (await workerBrowser()).newContext()
      contexts.push(context)
      const [name = "", value = ""] = (await cookieFor(user)).split(/=(.*)/s)
      await context.addCookies([{ name, value, url }])
      await context.route(`${url}/page`, (route) =>
        route.fulfill({ contentType: "text/html", body: '<div id="page"></div><script src="/page.js"></script>' })
      )
      await context.route(`${url}/page.js`, (route) =>
        route.fulfill({ contentType: "text/javascript; charset=utf-8", body: code })
      )
      const page = await context.newPage()
      await page.goto(`${url}/page`)
      return page
    }
    const textOf = (page: Page, selector: string) => page.locator(selector).textContent()
    const messages = (page: Page) => page.locator("li").allTextContents()
    const send = (page: Page, text: string) =>
      page.evaluate((said) => (globalThis as Hooks).hooks.chat.send(said), text)

    it("read once what several of a page show", async () => {
      const page = await visit("ada")
      await expect.poll(() => textOf(page, "#available")).not.toBe("")
      expect(await textOf(page, "#again")).toBe(await textOf(page, "#available"))
      const read = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)
      )
      expect(read.filter((path) => path === "/api/billing/balance")).toHaveLength(1)
    })

    it("show a reply as it is written, then its cost, and the balance after it", async () => {
      const page = await visit("ann")
      await expect.poll(() => textOf(page, "#available")).not.toBe("")
      const before = Number(await textOf(page, "#available"))
      const asked = server.model.nextCall()
      const sent = send(page, "When do storks return?")
      const call = await asked
      await expect.poll(() => textOf(page, "#status")).toBe("sending")
      call.say("In ")
      await expect
        .poll(() => messages(page))
        .toEqual(["user complete -: When do storks return?", "assistant streaming -: In "])
      expect(await textOf(page, "#status")).toBe("streaming")
      call.say("March.")
      call.complete()
      expect(await sent).toBe(true)
      expect((await messages(page)).at(-1)).toBe("assistant complete paid: In March.")
      await expect.poll(async () => Number(await textOf(page, "#available"))).toBeLessThan(before)
    })

    it("join a running reply after a reload, and stop it", async () => {
      const page = await visit("bea")
      const asked = server.model.nextCall()
      void send(page, "Tell me.").catch(() => undefined)
      const call = await asked
      call.say("One ")
      await expect.poll(() => messages(page)).toContain("assistant streaming -: One ")
      await page.reload()
      await expect.poll(() => messages(page)).toContain("assistant streaming -: One ")
      call.say("two ")
      await expect.poll(() => messages(page)).toContain("assistant streaming -: One two ")
      await page.evaluate(() => (globalThis as Hooks).hooks.chat.stop())
      await call.left
      await expect.poll(() => messages(page)).toEqual(["user complete -: Tell me.", "assistant stopped paid: One two "])
      expect([await textOf(page, "#status"), await textOf(page, "#error")]).toEqual(["ready", ""])
    })

    it("join a reply again if the connection is lost while it is written", async () => {
      const proxy = await CuttingProxy.start(server.url)
      onTestFinished(() => proxy.stop())
      const page = await visit("gil", proxy.url)
      const asked = server.model.nextCall()
      const sent = send(page, "Tell me.")
      const call = await asked
      call.say("One ")
      await expect.poll(() => messages(page)).toContain("assistant streaming -: One ")
      proxy.away(true)
      call.say("two ")
      proxy.away(false)
      await expect.poll(() => messages(page)).toContain("assistant streaming -: One two ")
      proxy.away(true)
      call.say("three.")
      call.complete()
      proxy.away(false)
      expect(await sent).toBe(true)
      await expect.poll(() => messages(page)).toContain("assistant complete paid: One two three.")
      expect([await textOf(page, "#status"), await textOf(page, "#error")]).toEqual(["ready", ""])
    })

    it("stop a reply that has not begun, as soon as it begins", async () => {
      const page = await visit("cid")
      const asked = server.model.nextCall()
      const sent = send(page, "Tell me.")
      const call = await asked
      await page.evaluate(() => (globalThis as Hooks).hooks.chat.stop())
      call.say("One ")
      await call.left
      expect(await sent).toBe(true)
      expect((await messages(page)).at(-1)).toMatch(/^assistant stopped paid: One/)
    })

    it("ask again, and name a refusal by its code without the question that was not taken", async () => {
      const page = await visit("dan")
      expect(await send(page, "Hi")).toBe(true)
      expect(await page.evaluate(() => (globalThis as Hooks).hooks.chat.regenerate())).toBe(true)
      expect(await messages(page)).toHaveLength(2)
      const asked = server.model.nextCall()
      const sent = send(page, "Fail, please.")
      ;(await asked).fail("refused")
      expect(await sent).toBe(false)
      expect(await textOf(page, "#error")).toBe("model_failed")
      expect(await messages(page)).toHaveLength(2)
    })

    it("edit a question and have a reply written again, in their places, and show the versions before", async () => {
      const page = await visit("fay")
      const chat = () => page.evaluate(() => (globalThis as Hooks).hooks.chat.messages)
      const show = (id = "") => page.evaluate((message) => (globalThis as Hooks).hooks.chat.show(message), id)
      expect(await send(page, "One")).toBe(true)
      expect(await send(page, "Two")).toBe(true)
      const before = await chat()
      const [, , second] = before
      expect(
        await page.evaluate((id = "") => (globalThis as Hooks).hooks.chat.edit(id, "Two, edited"), second?.id)
      ).toBe(true)
      const edited = await chat()
      expect(edited.map(({ content }) => content)[2]).toBe("Two, edited")
      expect(edited[2]?.versions).toEqual([second?.id, edited[2]?.id])
      expect(await show(second?.id)).toBe(true)
      expect((await chat()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      expect(await page.evaluate(() => (globalThis as Hooks).hooks.chat.regenerate())).toBe(true)
      const again = await chat()
      expect(again.map(({ id }) => id).slice(0, 3)).toEqual(before.map(({ id }) => id).slice(0, 3))
      expect(again[3]?.versions).toEqual([before[3]?.id, again[3]?.id])
      expect(await show(edited[2]?.id)).toBe(true)
      expect((await chat()).map(({ id }) => id)).toEqual(edited.map(({ id }) => id))
    })

    it("send images with a question, show them, and keep them when it is edited", async () => {
      const page = await visit("ida")
      const imageId = await page.evaluate(
        async (bytes) => {
          const { setImageIds, upload } = (globalThis as Hooks).hooks
          const image = await upload(new Blob([new Uint8Array(bytes)]))
          setImageIds([image.imageId])
          return image.imageId
        },
        [...PNG]
      )
      expect(await send(page, "What is it?")).toBe(true)
      const chat = () => page.evaluate(() => (globalThis as Hooks).hooks.chat.messages)
      const [question] = await chat()
      expect(question?.imageIds).toEqual([imageId])
      await page.evaluate(() => (globalThis as Hooks).hooks.setImageIds(undefined))
      const asked = server.model.nextCall()
      const edited = page.evaluate(
        (id = "") => (globalThis as Hooks).hooks.chat.edit(id, "And its colour?"),
        question?.id
      )
      const call = await asked
      expect(call.request.messages.flatMap(({ images = [] }) => images.map(({ id }) => id))).toEqual([imageId])
      call.say("Red.")
      call.complete()
      expect(await edited).toBe(true)
      expect((await chat())[0]).toMatchObject({ content: "And its colour?", imageIds: [imageId] })
    })

    it("send files with progress, follow their states, and delete them", async () => {
      const page = await visit("eve")
      const upload = (name: string, text: string) =>
        page.evaluate(
          ([filename = "", content = ""]) =>
            (globalThis as Hooks).hooks.documents.upload(new File([content], filename, { type: "text/plain" })),
          [name, text]
        )
      const id = await upload("a.txt", "Some text.")
      await expect.poll(() => textOf(page, "#documents")).toBe("ready")
      expect(await upload("b.exe", "MZ")).toBeUndefined()
      expect(await textOf(page, "#uploads")).toBe("file_rejected")
      await page.evaluate((document = "") => (globalThis as Hooks).hooks.documents.remove(document), id)
      await expect.poll(() => textOf(page, "#documents")).toBe("")
      expect(await textOf(page, "#plans")).toContain("free")
    })
  })
})
