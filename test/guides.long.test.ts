import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describePythonPrograms } from "../packages/cli/test/guides/describePythonPrograms.ts"
import { describeSignInGuides } from "../packages/cli/test/guides/describeSignInGuides.ts"
import { eventually, ParleyProcess, temporaryFolder } from "../packages/cli/test/processes/ParleyProcess.ts"
import { type CodeBlock, codeBlocks, moduleName, moduleOf, programs } from "../tooling/docs/codeBlocks.ts"
import { whereChromiumIs } from "./support/chromium.ts"
import { readExample } from "./support/examples.ts"
import { FakeOpenAi } from "./support/FakeOpenAi.ts"
import { ending, freePort, makeProject, packAll } from "./support/packedPackages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const TIMEOUT_MS = 1_800_000

/** The vendors, frameworks and tools that the guides name, and what plays their pages. */
const OTHERS = [
  ...["@electric-sql/pglite@0.5.14", "@electric-sql/pglite-pgvector@0.0.15", "effect@4", "jose@6", "nodemailer@10"],
  ...["openai@7", "stripe@23", "ai@7", "@ai-sdk/react@4", "@ai-sdk/google@4", "@ai-sdk/mistral@4"],
  ...["react@19", "react-dom@19", "@types/react@19", "@types/react-dom@19", "@types/node@24", "@types/pg@8"],
  ...["@types/express@5", "typescript@5.9.3", "vite@8", "vitest@5", "fast-check@4", "playwright-core@1.65.1"]
]

const RUNNING_SERVER = "packages/dashboard/test/support/runningServer.ts"

const blocks = programs(codeBlocks()).filter(({ path }) => path.startsWith("docs/guides/"))

let folder: string
let tarballs: ReadonlyMap<string, string>
/** A project with the packed packages, which cannot see this repository. */
let project: string
const inProject = (path: string) => join(project, path)
const parley = () => inProject("node_modules/@parley/cli/bin/parley.js")

/** Copies a file or folder of this repository to the same place in the project. */
const copy = (path: string) => {
  mkdirSync(dirname(inProject(path)), { recursive: true })
  cpSync(join(root, path), inProject(path), {
    recursive: true,
    filter: (file) => !/\/(?:dist|node_modules|tsconfig\.json)$/.test(file)
  })
}

const writeModule = (block: CodeBlock): string => {
  const file = inProject(moduleName(block))
  writeFileSync(file, moduleOf(block))
  return file
}

/** `parley serve` of the packed packages, on a port of its own. */
const serve = async (folder: string, environment: Readonly<Record<string, string>>) => {
  const port = await freePort()
  const server = new ParleyProcess(["serve"], folder, { ...environment, PORT: String(port) }, parley(), [])
  const url = `http://127.0.0.1:${port}`
  const ended = server.ended.then(({ stderr }) => Promise.reject(new Error(`The server ended: ${stderr}`)))
  ended.catch(() => undefined)
  const answers = async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok || undefined
  await Promise.race([eventually("the server to answer", answers), ended])
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const run = async (folder: string, argv: ReadonlyArray<string>): Promise<string> => {
  await using command = new ParleyProcess(argv, folder, {}, parley(), [])
  const { exit, stderr, stdout } = await command.ended
  expect([exit, stderr]).toEqual([0, expect.anything()])
  return stdout
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-guides-"))
  tarballs = await packAll(folder)
  project = await makeProject(folder, "project", [...tarballs.values(), ...OTHERS])
  mkdirSync(inProject("packages"))
  symlinkSync(inProject("node_modules/@parley/cli"), inProject("packages/cli"))
}, TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }), TIMEOUT_MS)

describe("the guides, with the packed packages,", () => {
  it("have programs that compile", async () => {
    const files = blocks.map(writeModule)
    const shown = ["examples/react-chat/app", "examples/widget-site/src"]
    shown.forEach(copy)
    const compilerOptions = {
      ...{ module: "nodenext", target: "es2024", lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"] },
      ...{ strict: true, skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true },
      ...{ jsx: "react-jsx", types: ["node"] }
    }
    writeFileSync(inProject("tsconfig.json"), JSON.stringify({ compilerOptions, files, include: shown }))
    const compiler = inProject("node_modules/typescript/bin/tsc")
    expect(await ending(process.execPath, [compiler, "-p", project], project)).toEqual({ exit: 0, said: "" })
  })

  it("make vendors of the models of the AI SDK", async () => {
    const [block] = blocks.filter(({ path, text }) => path.endsWith("/ai-sdk.md") && text.includes("fromAiSdk"))
    if (block === undefined) throw new Error("The guide to the AI SDK has no such program.")
    const file = writeModule(block)
    writeFileSync(
      file,
      `${moduleOf(block)}\nconsole.log((await parley.models("ann")).models.map(({ id }) => id))\nprocess.exit()\n`
    )
    const env = { ...process.env, GOOGLE_GENERATIVE_AI_API_KEY: "k", MISTRAL_API_KEY: "k" }
    const { exit, said } = await ending(process.execPath, ["--disable-warning=ExperimentalWarning", file], project, env)
    expect([exit, said]).toEqual([0, expect.stringMatching(/gemini[^]*large/)])
  })

  whereChromiumIs(() => {
    it.each([
      ["react-chat", 3],
      ["widget-site", 1]
    ])(
      "play the pages of %s in a browser",
      async (name, tests) => {
        copy(`examples/${name}`)
        copy("test/support/chromium.ts")
        copy(RUNNING_SERVER)
        const ofSources = readFileSync(inProject(RUNNING_SERVER), "utf8")
        writeFileSync(inProject(RUNNING_SERVER), ofSources.replace('"--conditions=@parley/source", ', ""))
        writeFileSync(
          inProject("vitest.config.ts"),
          "export default { test: { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } } }\n"
        )
        const argv = [inProject("node_modules/vitest/vitest.mjs"), "run", "--dir", `examples/${name}`]
        expect(await ending(process.execPath, argv, project)).toMatchObject({
          exit: 0,
          said: expect.stringMatching(new RegExp(`Tests +${tests} passed`))
        })
      },
      TIMEOUT_MS
    )
  })

  it("stream a reply to OpenAI's SDK", async () => {
    using data = temporaryFolder()
    await using vendor = new FakeOpenAi()
    await using server = await serve(data.path, {
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: await vendor.start()
    })
    const made = await run(data.path, ["keys", "create", "--name", "tools", "--scope", "chat:complete", "--json"])
    const { key } = JSON.parse(made) as { readonly key: string }
    const [block] = blocks.filter(({ path }) => path.endsWith("/openai-clients.md"))
    if (block === undefined) throw new Error("The guide to OpenAI's clients has no program.")
    const env = { ...process.env, PARLEY_URL: server.url, PARLEY_KEY: key }
    const { stdout } = await promisify(execFile)(process.execPath, [writeModule(block)], { cwd: project, env })
    expect(stdout).toMatch(/^Hello there\n[^]*credits: [1-9]/)
  })

  it("give the pages of a server the name, the logo and the colours of a brand", async () => {
    using data = temporaryFolder()
    const [block] = codeBlocks().filter(({ language, path }) => path === "docs/guides/branding.md" && language === "sh")
    const exported = [...(block?.text ?? "").matchAll(/^export (\w+)="([^"]+)"$/gm)]
    const settings = Object.fromEntries(exported.map(([, name = "", value = ""]) => [name, value]))
    expect(Object.keys(settings)).toEqual(["PARLEY_BRAND_NAME", "PARLEY_BRAND_ACCENT"])
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>'
    const logo = join(data.path, "logo.svg")
    writeFileSync(logo, picture)
    await using server = await serve(data.path, { ...settings, PARLEY_BRAND_LOGO: logo })
    const read = async (path: string) => (await fetch(server.url + path)).text()
    const page = await read("/")
    expect(page).toContain(`<title>${settings["PARLEY_BRAND_NAME"]}</title>`)
    expect(await read(/href="(\/brand-logo[^"]+)"/.exec(page)?.[1] ?? "")).toBe(picture)
    expect(await read("/brand.css")).toContain(settings["PARLEY_BRAND_ACCENT"])
  })

  describePythonPrograms({ serve, run })

  describeSignInGuides({
    serve: (folder, environment) =>
      serve(folder, { ...environment, NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1" }),
    load: (program) => import(pathToFileURL(writeModule(program)).href)
  })
})

it(
  "the first page for Effect makes an empty folder a program that prints what it says",
  async () => {
    const empty = join(folder, "effect")
    mkdirSync(empty)
    for (const name of ["main.ts", "loggedLedger.ts"])
      cpSync(join(root, "examples/effect-layers/src", name), join(empty, name))
    const commands = codeBlocks().filter(({ language, path }) => path === "docs/start/effect.md" && language === "sh")
    expect(commands).toHaveLength(2)
    // The packages are not in the registry yet: their files stand for them.
    const named = (line: string) => line.replaceAll(/@parley\/([\w-]+)/g, (_, name: string) => tarballs.get(name) ?? "")
    const said: Array<string> = []
    for (const { text } of commands) {
      // Bash reads the settings of a person's shell if its input is a socket.
      const ended = await ending("bash", ["--norc", "-euc", named(text)], empty, { ...process.env, NO_COLOR: "1" })
      expect(ended).toMatchObject({ exit: 0 })
      said.push(ended.said)
    }
    expect(said.at(-1)).toBe(readExample("effect-layers/expected.txt"))
  },
  TIMEOUT_MS
)

it("every guide is followed with packed packages, here or in packages.long.test.ts", () => {
  const there =
    "effect-layers events express-app fastify fetch-handler import metering minimal own-parts own-vendor people " +
    "stripe-in-your-application two-servers unit-tests"
  const here =
    "ai-sdk back-ends branding documents-and-embedders openai-clients react-chat widget-site sign-in-auth0 sign-in-better-auth " +
    "sign-in-by-email sign-in-clerk sign-in-keycloak sign-in-own-tokens sign-in-supabase"
  const guides = readdirSync(join(root, "docs/guides")).map((name) => name.replace(/\.md$/, ""))
  expect(guides.toSorted()).toEqual(`${there} ${here}`.split(" ").toSorted())
})
