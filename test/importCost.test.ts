import { fileURLToPath } from "node:url"
import { build, type Rolldown } from "vite"
import { expect, it } from "vitest"

/** The minified bundle of a file in `support`, and the paths of the modules in it. */
const bundled = async (name: string) => {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true, resolve: { conditions: ["@parley/source", "module", "node"] } },
    build: { ssr: fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url)), write: false, minify: true }
  })) as Rolldown.RolldownOutput
  const chunks = built.output.flatMap((file) => (file.type === "chunk" ? [file] : []))
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules))
  return {
    code: chunks.map(({ code }) => code).join(""),
    modules: modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([path]) => path)
  }
}

it.each([
  ["computes prices", "priceOnly", "minimumCredits", 25_000],
  ["verifies webhooks", "webhookOnly", "invalid_webhook", 4_000]
])("code that only %s bundles nothing of effect and nothing else", async (_use, name, part, bytes) => {
  const { code, modules } = await bundled(name)
  expect(code).toContain(part)
  expect(code.length).toBeLessThan(bytes)
  expect(modules.filter((path) => path.includes("node_modules"))).toEqual([])
})
