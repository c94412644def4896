import { fileURLToPath } from "node:url"
import { build, type Rolldown } from "vite"
import { expect, it } from "vitest"

const entry = fileURLToPath(new URL("./support/priceOnly.ts", import.meta.url))

it("whoever only computes prices bundles no more than that: under 25 KB, and nothing of effect", async () => {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true, resolve: { conditions: ["@parley/source", "module", "node"] } },
    build: { ssr: entry, write: false, minify: true }
  })) as Rolldown.RolldownOutput
  const code = built.output.map((file) => (file.type === "chunk" ? file.code : ""))
  expect(code.join("")).toContain("minimumCredits")
  expect(code.join("").length).toBeLessThan(25_000)
  const modules = built.output.flatMap((file) => (file.type === "chunk" ? Object.entries(file.modules) : []))
  const rendered = modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([path]) => path)
  expect(rendered.filter((path) => path.includes("node_modules/effect"))).toEqual([])
})
