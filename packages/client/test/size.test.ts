import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build, type Rolldown } from "vite"
import { expect, test } from "vitest"

const MAX_BYTES = 12_000

test("is small: everything of it, bundled and compressed", async () => {
  const entry = fileURLToPath(new URL("../src/index.ts", import.meta.url))
  const built = (await build({
    configFile: false,
    logLevel: "warn",
    build: { write: false, minify: true, lib: { entry, formats: ["es"] } }
  })) as ReadonlyArray<Rolldown.RolldownOutput>
  const [chunk, ...others] = built.flatMap(({ output }) => output)
  if (chunk?.type !== "chunk") throw new Error("Nothing was bundled.")
  expect([others, chunk.imports]).toEqual([[], []])
  expect(gzipSync(chunk.code).byteLength).toBeLessThan(MAX_BYTES)
})
