import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freshPostgres, hasPostgres } from "../packages/adapters-db/test/databases.ts"
import type { Choices } from "../packages/create-parley/src/Choices.ts"
import {
  askAboutDocument,
  environmentOf,
  installProject,
  managerCommand,
  type Manager,
  personOf,
  type Toolchain,
  whileStarted
} from "./support/foreignProject.ts"
import { visitNextPage } from "./support/nextPage.ts"
import { type IdentityProvider, openIdentityProvider } from "./support/identityProvider.ts"
import { type PackageRegistry, servePackages } from "./support/packageRegistry.ts"
import { ending, makeProject, packAll } from "./support/packedPackages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const TIMEOUT_MS = 1_800_000

/** A project that `npm create parley` writes, and the versions of what it runs with. */
interface Project {
  readonly choices: Choices
  readonly manager: Manager
  readonly node: 22 | 24
  readonly typescript: "5.4" | "5.9" | "7"
  /** Other versions of packages, or more of them. */
  readonly more?: Readonly<Record<string, string>>
}

const project = (
  words: string,
  manager: Manager,
  node: 22 | 24,
  typescript: Project["typescript"],
  more: Readonly<Record<string, string>> = {}
): Project => {
  const [framework, database, signIn] = words.split(" ")
  return { choices: { framework, database, "sign-in": signIn } as Choices, manager, node, typescript, more }
}

/** Each framework with each database; managers, versions and sign-ins are spread over them. */
const projects: ReadonlyArray<Project> = [
  project("server embedded development", "npm", 24, "5.9"),
  project("server postgres secret", "pnpm", 22, "7"),
  project("express embedded development", "yarn", 22, "5.9"),
  project("express postgres secret", "pnpm", 24, "7", {
    express: "^4.21.0",
    "@types/express": "^4.17.0",
    effect: "^3"
  }),
  project("fastify embedded jwks", "pnpm", 24, "5.9", { effect: "^4.1.0" }),
  project("fastify postgres development", "berry", 22, "7"),
  project("hono embedded secret", "berry", 22, "5.9", { effect: "^3" }),
  project("hono postgres jwks", "npm", 24, "7"),
  project("next embedded development", "pnpm", 24, "5.9"),
  project("next postgres secret", "yarn", 22, "5.9")
]

const nameOf = ({ choices, manager, more = {}, node, typescript }: Project): string => {
  const added = Object.entries(more).map(([name, range]) => `${name} ${range}`)
  return [...Object.values(choices), manager, `Node ${node}`, `TypeScript ${typescript}`, ...added].join(", ")
}

let folder: string
let tools: string
let creator: string
let registry: PackageRegistry
let provider: IdentityProvider

const compilerOf = (version: Project["typescript"]) =>
  version === "7"
    ? join(root, "node_modules/typescript/bin/tsc")
    : join(tools, `node_modules/typescript-${version}/bin/tsc`)

const toolchainOf = ({ manager, node }: Project): Toolchain => {
  const inTools = (path: string) => join(tools, "node_modules", path)
  const scripts = {
    npm: undefined,
    pnpm: "pnpm/bin/pnpm.mjs",
    yarn: "yarn/bin/yarn.js",
    berry: "@yarnpkg/cli-dist/bin/yarn.js"
  }
  const script = scripts[manager]
  return {
    manager,
    script: script && inTools(script),
    node: node === 24 ? process.execPath : inTools(`node-${process.platform}-${process.arch}/bin/node`),
    registry: registry.url
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-foreign-"))
  const tarballs = await packAll(folder, ["create-parley"])
  registry = await servePackages(tarballs.values())
  provider = await openIdentityProvider()
  const file = tarballs.get("create-parley") ?? ""
  tools = await makeProject(folder, "tools", [
    file,
    "pnpm@12.21.0",
    "yarn@1.22.22",
    "@yarnpkg/cli-dist@4.18.1",
    "typescript-5.4@npm:typescript@5.4.5",
    "typescript-5.9@npm:typescript@5.9.3",
    `node-${process.platform}-${process.arch}@22.19.0`
  ])
  creator = join(tools, "node_modules/create-parley/bin/create-parley.js")
}, TIMEOUT_MS)
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}, TIMEOUT_MS)

/** The settings of a database, for as long as `use` runs. */
const withDatabase = ({ choices: { database } }: Project, use: (settings: Record<string, string>) => Promise<void>) =>
  database === "embedded"
    ? use({})
    : Effect.runPromise(
        Effect.scoped(Effect.flatMap(freshPostgres, (url) => Effect.promise(() => use({ DATABASE_URL: url }))))
      )

/** A person's token, if the project has no development sign-in: of its own program, or of the provider. */
const tokenOf = async ({ choices }: Project, path: string, chain: Toolchain): Promise<string | undefined> => {
  if (choices["sign-in"] === "development") return undefined
  if (choices["sign-in"] === "jwks") return provider.token("ann", "parley")
  const { argv, command } = managerCommand(
    chain,
    chain.manager === "berry" ? ["run", "token", "ann"] : ["run", "-s", "token", "ann"]
  )
  const { said } = await ending(command, argv, path, environmentOf(chain))
  return /eyJ[\w.-]+/.exec(said)?.[0]
}

describe("a project of npm create parley, with the packed packages", () => {
  it.each(projects.map((each) => [nameOf(each), each] as const))(
    "installs, compiles, starts; a person signs in, asks, is charged and sees a source: %s",
    async (_name, each) => {
      expect(hasPostgres, "TEST_DATABASE_URL names a Postgres").toBe(true)
      const { choices } = each
      const chain = toolchainOf(each)
      const path = join(folder, Object.values(choices).join("-"))
      const options = Object.entries(choices).flatMap(([name, value]) => [`--${name}`, value])
      execFileSync(chain.node, [creator, path, "--yes", ...options])
      expect(await installProject(path, chain, each.more ?? {})).toBe("")
      if (choices.framework !== "server") {
        // Next.js' own types have errors of their own.
        const libraries = choices.framework === "next" ? [] : ["--skipLibCheck", "false"]
        const compiler = [compilerOf(each.typescript), "-p", path, ...libraries]
        expect(await ending(chain.node, compiler, path)).toEqual({ exit: 0, said: "" })
      }
      await withDatabase(each, async (database) => {
        const settings = {
          ...database,
          ...(choices["sign-in"] === "jwks" ? { PARLEY_SESSION_ISSUER: provider.issuer } : {})
        }
        if (choices.framework === "next") {
          const { argv, command } = managerCommand(chain, ["run", "build"])
          expect(await ending(command, argv, path, { ...environmentOf(chain), ...settings })).toMatchObject({ exit: 0 })
        }
        await whileStarted(path, chain, settings, async (url) => {
          const person = await personOf(url, await tokenOf(each, path, chain))
          expect(await askAboutDocument(person)).toEqual({
            text: expect.stringContaining("Storks return to Alsace"),
            sources: ["storks.txt"],
            credits: 1,
            available: 99
          })
          const page = await fetch(url, { headers: { accept: "text/html" } })
          expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
          if (choices.framework === "next" && choices["sign-in"] === "development") await visitNextPage(url)
          const own = await fetch(`${url}/hello`)
          if (choices.framework !== "server" && choices.framework !== "next") {
            expect(await own.text()).toBe("Your own routes are here.")
          }
        })
      })
      rmSync(join(path, "node_modules"), { recursive: true, force: true, maxRetries: 5 })
    },
    TIMEOUT_MS
  )
})
