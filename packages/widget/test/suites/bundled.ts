import { fileURLToPath } from "node:url"
import { build, type Rolldown } from "vite"
import { beforeAll, expect, it } from "vitest"
import type { mount, ParleyWidget } from "../../src/index.ts"
import type { ParleyWidgetProps } from "../../src/react.ts"
import { describeWidget, hostPage } from "../support/describeWidget.ts"
import { KEY } from "../support/ScriptedService.ts"

interface Bundled {
  readonly mount: typeof mount
  readonly defineParleyWidget: () => void
  readonly render: (props: ParleyWidgetProps | undefined) => void
}
type Page = typeof globalThis & { readonly bundled: Bundled; widget?: ParleyWidget; readonly heard: Array<string> }

const bundle = async (): Promise<string> => {
  const entry = fileURLToPath(new URL("../support/bundledPage.ts", import.meta.url))
  const built = (await build({
    configFile: false,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": '"production"' },
    resolve: { conditions: ["@parley/source", "module", "browser", "production"] },
    build: { write: false, lib: { entry, formats: ["iife"], name: "page" } }
  })) as ReadonlyArray<Rolldown.RolldownOutput>
  const [chunk] = built.flatMap(({ output }) => output)
  if (chunk?.type !== "chunk") throw new Error("Nothing was bundled.")
  return chunk.code
}

describeWidget("a page that bundles the widget", (stage) => {
  let code = ""
  beforeAll(async () => {
    code = await bundle()
  })
  const visit = () => {
    stage.site.page("/bundle.js", `window.heard = []; ${code}`)
    return stage.visit({
      url: stage.site.page("/bundled", hostPage('<div id="react"></div><script src="/bundle.js"></script>'))
    })
  }

  it("mounts it with a function, opens and closes it, hears of it, and removes it", async () => {
    const { complaints, field, launcher, page, panel } = await visit()
    await page.evaluate(
      ({ baseUrl, publicKey }) => {
        const here = globalThis as Page
        here.widget = here.bundled.mount({ baseUrl, publicKey, position: "left", theme: "dark" })
        const stop = here.widget.on("open", () => here.heard.push("not heard"))
        stop()
        here.widget.on("ready", ({ displayName }) => here.heard.push(displayName))
        here.widget.open()
      },
      { baseUrl: `${stage.service.url}/`, publicKey: KEY }
    )
    await field.waitFor()
    expect((await launcher.boundingBox())?.x).toBe(20)
    await page.evaluate(() => (globalThis as Page).widget?.close())
    await expect.poll(() => panel.isVisible()).toBe(false)
    await page.evaluate(() => (globalThis as Page).widget?.remove())
    expect(await launcher.count()).toBe(0)
    expect(await page.evaluate(() => (globalThis as Page).heard)).toEqual(["Ada of Acme"])
    expect(complaints).toEqual([])
  })

  it("writes it as an element, which follows its attributes and is gone with it", async () => {
    const { complaints, field, frame, launcher, page } = await visit()
    await page.evaluate(
      ({ baseUrl, publicKey }) => {
        const here = globalThis as Page
        here.bundled.defineParleyWidget()
        here.bundled.defineParleyWidget()
        addEventListener("parley-open", (event) => here.heard.push(JSON.stringify((event as CustomEvent).detail)))
        const element = document.createElement("parley-widget")
        for (const [name, value] of Object.entries({
          "base-url": baseUrl,
          "public-key": publicKey,
          "text-field": "Write here"
        }))
          element.setAttribute(name, value)
        document.body.append(element)
      },
      { baseUrl: stage.service.url, publicKey: KEY }
    )
    await launcher.click()
    await frame.getByLabel("Write here").waitFor()
    expect(await field.count()).toBe(0)
    await page.evaluate(() => document.querySelector("parley-widget")?.setAttribute("theme", "dark"))
    await expect.poll(() => frame.locator("html").getAttribute("data-theme")).toBe("dark")
    await page.evaluate(() => document.querySelector("parley-widget")?.remove())
    expect(await launcher.count()).toBe(0)
    expect(await page.evaluate(() => (globalThis as Page).heard)).toEqual([JSON.stringify({ publicKey: KEY })])
    expect(complaints).toEqual([])
  })

  it("has it as a React component, mounted once, with the listeners of its last rendering", async () => {
    const { complaints, frame, launcher, page } = await visit()
    const render = (say: string | undefined) =>
      page.evaluate(
        ({ baseUrl, publicKey, say }) => {
          const here = globalThis as Page
          const props = {
            baseUrl,
            publicKey,
            texts: { field: say ?? "" },
            onOpen: () => void here.heard.push(say ?? "")
          }
          here.bundled.render(say === undefined ? undefined : props)
        },
        { baseUrl: stage.service.url, publicKey: KEY, say }
      )
    await render("one")
    await launcher.waitFor()
    await render("two")
    expect(await page.locator("button[aria-haspopup=dialog]").count()).toBe(1)
    await launcher.click()
    await frame.getByLabel("two").waitFor()
    expect(await page.evaluate(() => (globalThis as Page).heard)).toEqual(["two"])
    await render(undefined)
    await expect.poll(() => launcher.count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
