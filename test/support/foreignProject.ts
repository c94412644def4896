import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { Visitor } from "../../packages/cli/test/processes/RunningServer.ts"
import { ending, freePort, readJson } from "./packedPackages.ts"

export type Manager = "npm" | "pnpm" | "yarn" | "berry"

/** Where the programs of a project are: its package manager, as a script of Node, and its Node. */
export interface Toolchain {
  readonly manager: Manager
  /** The script of the manager; undefined for npm, which is in the `PATH`. */
  readonly script: string | undefined
  readonly node: string
  readonly registry: string
}

/** Settings with which each manager takes the scope `@parley` from the registry of the test, and leaves scripts out. */
const settingsFor: Readonly<Record<Manager, (registry: string) => Readonly<Record<string, string>>>> = {
  npm: (registry) => ({ ".npmrc": `@parley:registry=${registry}\nignore-scripts=true\naudit=false\nfund=false\n` }),
  pnpm: (registry) => ({
    ".npmrc": `@parley:registry=${registry}\n`,
    "pnpm-workspace.yaml": "nodeLinker: isolated\nignoreScripts: true\nstrictDepBuilds: false\n"
  }),
  // The caches of Yarn know packages by name and version alone, and ours have the same in every run.
  yarn: (registry) => ({
    ".npmrc": `@parley:registry=${registry}\n`,
    ".yarnrc": "ignore-scripts true\ncache-folder ../yarn-cache\n"
  }),
  berry: (registry) => ({
    ".yarnrc.yml": `nodeLinker: node-modules\nenableGlobalCache: false\nglobalFolder: ../yarn-global\nenableScripts: false\nenableTelemetry: false\nnpmScopes:\n  parley:\n    npmRegistryServer: "${registry}"\nunsafeHttpWhitelist: ["127.0.0.1"]\n`,
    "yarn.lock": ""
  })
}

/** The environment of a shell whose Node is the project's, without the settings that npm makes for this test. */
export const environmentOf = ({ node }: Toolchain): NodeJS.ProcessEnv => {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|INIT_CWD|CI$)/i.test(name))
  const { PATH = "" } = process.env
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(node)}${delimiter}${PATH}`,
    NO_COLOR: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    COREPACK_ENABLE_STRICT: "0"
  }
}

/** A command of the package manager, in the project's Node. */
export const managerCommand = ({ manager, node, script }: Toolchain, argv: ReadonlyArray<string>) =>
  script === undefined ? { command: manager, argv } : { command: node, argv: [script, ...argv] }

/** Adds packages to a project's manifest, and installs everything. Returns what the manager says if it fails. */
export const installProject = async (
  project: string,
  tools: Toolchain,
  more: Readonly<Record<string, string>>
): Promise<string> => {
  const path = join(project, "package.json")
  const manifest = readJson<{ readonly dependencies: object }>(path)
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, ...more } }))
  for (const [name, text] of Object.entries(settingsFor[tools.manager](tools.registry))) {
    writeFileSync(join(project, name), text)
  }
  const { argv, command } = managerCommand(tools, ["install"])
  const { exit, said } = await ending(command, argv, project, environmentOf(tools))
  return exit === 0 ? "" : said
}

const START_MS = 120_000
const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/** Starts a project by its script `start` on a free port while `use` runs; returns the exit code after SIGTERM. */
export const whileStarted = async (
  project: string,
  tools: Toolchain,
  settings: Readonly<Record<string, string>>,
  use: (url: string) => Promise<void>
): Promise<void> => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const { argv, command } = managerCommand(tools, ["run", "start"])
  const env = { ...environmentOf(tools), PORT: String(port), PARLEY_BASE_URL: url, ...settings }
  const server = spawn(command, argv, { cwd: project, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text: Buffer) => (said += String(text)))
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()))
  try {
    const deadline = Date.now() + START_MS
    while ((await fetch(`${url}/api/me`).catch(() => undefined))?.status !== 401) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error(`${project} does not start: ${said}`)
      await pause()
    }
    await use(url)
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGTERM")
    await ended
  }
}

/** A person of an application: signs in by its development sign-in, or sends a token. */
export const personOf = async (url: string, token: string | undefined): Promise<Visitor> => {
  const person = new Visitor(url, token === undefined ? "" : `parley_session=${token}`)
  if (token === undefined) await person.signIn("ann@example.com")
  return person
}

/** Uploads a document, asks about it, and returns what the reply shows: its sources, its cost, and the balance. */
export const askAboutDocument = async (person: Visitor) => {
  const bytes = new TextEncoder().encode("Storks return to Alsace in March and nest on chimneys.")
  const { documentId } = (await (await person.upload("storks.txt", bytes)).json()) as { readonly documentId: string }
  const state = async () => (await person.getJson<{ readonly status: string }>(`/api/documents/${documentId}`)).status
  const deadline = Date.now() + START_MS
  while ((await state()) === "processing" && Date.now() < deadline) await pause()
  const messages = [{ role: "user", content: "When do storks return?" }]
  const reply = await person.post("/api/chat", { messages, documentIds: [documentId] })
  const text = await reply.text()
  const chat = await person.getJson<{
    readonly messages: ReadonlyArray<{
      readonly credits: number | null
      readonly sources: ReadonlyArray<{ readonly filename: string }>
    }>
  }>(`/api/chats/${reply.headers.get("x-chat-id")}`)
  const { available } = await person.getJson<{ readonly available: number }>("/api/billing/balance")
  const last = chat.messages.at(-1)
  return { text, sources: last?.sources.map(({ filename }) => filename), credits: last?.credits, available }
}
