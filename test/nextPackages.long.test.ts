import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ending, freePort, makeProject, packAll } from "./support/packedPackages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const TIMEOUT_MS = 1_800_000

const PACKAGES = ["core", "adapters-db", "adapters-documents", "adapters-http", "adapters-llm", "widget"]
const OTHERS = [
  ...["next@16", "react@19", "react-dom@19", "typescript@5.9.3", "@types/node@24", "@types/react@19", "effect"],
  ...["@electric-sql/pglite", "@electric-sql/pglite-pgvector"]
]

const guide = readFileSync(join(root, "docs/guides/fetch-handler.md"), "utf8")
/** The block of the guide that begins with these words. */
const blockOf = (language: string, words: string): string =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))]
    .map(([, text = ""]) => text)
    .find((text) => text.startsWith(words)) ?? ""

let folder: string
let app: string
const inApp = (path: string, text: string) => writeFileSync(join(app, path), text)

const env = () => ({ ...process.env, NEXT_TELEMETRY_DISABLED: "1", DATABASE_URL: "" })
const next = (...argv: ReadonlyArray<string>) => [join(app, "node_modules/next/dist/bin/next"), ...argv]

/** Builds the application, starts it, and asks it; ends it after that. */
const built = async (ask: (url: string) => Promise<void>): Promise<void> => {
  rmSync(join(app, ".next"), { recursive: true, force: true })
  const { exit, said } = await ending(process.execPath, next("build"), app, env())
  expect([exit, said]).toEqual([0, expect.stringContaining("/api/[...path]")])
  const port = await freePort()
  const argv = next("start", "-p", String(port), "-H", "127.0.0.1")
  const server = spawn(process.execPath, argv, { cwd: app, env: env(), stdio: "ignore", detached: true })
  const ended = new Promise((resolve) => server.once("exit", resolve))
  try {
    const url = `http://127.0.0.1:${port}`
    const deadline = Date.now() + 60_000
    while (!(await fetch(url).catch(() => undefined))) {
      expect(Date.now()).toBeLessThan(deadline)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await ask(url)
  } finally {
    process.kill(-(server.pid ?? 0), "SIGTERM")
    await ended
  }
}

const asAnn = { cookie: "session=anns", "content-type": "application/json" }

/** Asks for a reply, which every application of the guide must answer. */
const askForReply = async (url: string): Promise<void> => {
  expect((await fetch(`${url}/api/me`)).status).toBe(401)
  const body = JSON.stringify({ messages: [{ role: "user", content: "Hello" }] })
  const reply = await fetch(`${url}/api/chat`, { method: "POST", headers: asAnn, body })
  expect([reply.status, (await reply.text()).length > 0]).toEqual([200, true])
  const balance = await fetch(`${url}/api/billing/balance`, { headers: asAnn })
  expect(await balance.json()).toMatchObject({ available: 99 })
  const loader = await fetch(`${url}/widget.js`)
  expect([loader.status, loader.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"])
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-next-"))
  const tarballs = await packAll(folder)
  app = await makeProject(folder, "app", [...PACKAGES.map((name) => tarballs.get(name) ?? ""), ...OTHERS])
  const api = join(app, "app/api/[...path]")
  mkdirSync(api, { recursive: true })
  for (const name of ["parley.ts", "personOf.ts", "route.ts"]) {
    cpSync(join(root, "examples/fetch-handler/src", name), join(api, name))
  }
  for (const place of ["app/widget.js", "app/widget/[...path]"]) {
    mkdirSync(join(app, place), { recursive: true })
    inApp(join(place, "route.ts"), blockOf("js", "export { GET }"))
  }
  inApp(
    "app/layout.tsx",
    "export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>\n"
  )
  inApp("app/page.tsx", "export default () => <p>Hello</p>\n")
  const { compilerOptions } = JSON.parse(blockOf("json", "{")) as { readonly compilerOptions: object }
  inApp("tsconfig.json", JSON.stringify({ compilerOptions: { ...compilerOptions, paths: { "@/*": ["./*"] } } }))
}, TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }), TIMEOUT_MS)

describe("an application of Next.js, made as the guide says", () => {
  it(
    "is built with the packages in its bundle, and serves the routes and the widget",
    () => built(askForReply),
    TIMEOUT_MS
  )

  it(
    "is built with a database and documents, which are loaded as they are, and reads what is uploaded",
    () => {
      inApp("next.config.mjs", blockOf("js", "export default"))
      const memory = readFileSync(join(app, "app/api/[...path]/parley.ts"), "utf8")
      const stored = memory
        .replace("...(await openInMemory())", "...(await openDatabase()), ...(await openDocumentParser())")
        .replace(", openInMemory }", " }")
      const imports = `import { openDatabase } from "@parley/adapters-db"
import { openDocumentParser } from "@parley/adapters-documents"
`
      inApp("app/api/[...path]/parley.ts", imports + stored.replace(/close: .*\n/, ""))
      return built(async (url) => {
        await askForReply(url)
        const form = new FormData()
        form.set("file", new File(["Storks return to Alsace in March."], "storks.txt"))
        const { cookie } = asAnn
        const uploaded = await fetch(`${url}/api/upload`, { method: "POST", headers: { cookie }, body: form })
        const { documentId } = (await uploaded.json()) as { readonly documentId: string }
        const state = async () => {
          const answer = await fetch(`${url}/api/documents/${documentId}`, { headers: { cookie } })
          return ((await answer.json()) as { readonly status: string }).status
        }
        const deadline = Date.now() + 60_000
        while ((await state()) === "processing" && Date.now() < deadline) {
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
        expect(await state()).toBe("ready")
      })
    },
    TIMEOUT_MS
  )
})
