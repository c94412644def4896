import { execFile, spawnSync } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FakeOpenAi } from "../../../../test/support/FakeOpenAi.ts"
import { codeBlocks } from "../../../../tooling/docs/codeBlocks.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { Visitor } from "../processes/RunningServer.ts"

/** A command line, of this repository or of packed packages, on the embedded database of a folder. */
export interface CommandLine {
  /** `parley serve`, which listens. */
  readonly serve: (
    folder: string,
    environment: Readonly<Record<string, string>>
  ) => Promise<{ readonly url: string } & AsyncDisposable>
  /** Any other command; returns its output. */
  readonly run: (folder: string, argv: ReadonlyArray<string>) => Promise<string>
}

const ANN = "ann@example.com"
const blocks = codeBlocks().filter(({ language }) => language === "python")
/** The blocks of a page as one program: a later one uses the functions of an earlier one. */
const programOf = (page: string): string =>
  blocks
    .filter(({ path }) => path === page)
    .map(({ text }) => text)
    .join("\n")

/** The programs of the guides in Python, against a real server. */
export const describePythonPrograms = ({ run, serve }: CommandLine): void => {
  describe.skipIf(spawnSync("python3", ["--version"]).error)("the programs of the guides in Python", () => {
    const folder = temporaryFolder()
    const vendor = new FakeOpenAi()
    let server: { readonly url: string } & AsyncDisposable
    let key: string
    beforeAll(async () => {
      server = await serve(folder.path, { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: await vendor.start() })
      const scopes = ["credits:read", "credits:grant", "credits:hold", "chat:complete"]
      const argv = ["keys", "create", "--name", "python", ...scopes.flatMap((scope) => ["--scope", scope]), "--json"]
      key = (JSON.parse(await run(folder.path, argv)) as { readonly key: string }).key
      await new Visitor(server.url).signIn(ANN)
    })
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]()
      await vendor[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    })

    /** Runs a program with the standard library alone; returns the lines of its output. */
    const printed = async (program: string): Promise<ReadonlyArray<string>> => {
      const env = { PATH: process.env["PATH"], HOME: folder.path, PARLEY_URL: server.url, PARLEY_KEY: key }
      const { stdout } = await promisify(execFile)("python3", ["-I", "-c", program], { env, cwd: folder.path })
      return stdout.trimEnd().split("\n")
    }
    const adjust = (amount: number) =>
      run(folder.path, ["credits", "adjust", ANN, "--reason", "a test", "--", String(amount)])

    it("are all run here", () => {
      expect([...new Set(blocks.map(({ path }) => path))]).toEqual([
        "docs/guides/back-ends.md",
        "docs/guides/openai-clients.md"
      ])
    })

    it("grant and read credits, and charge for work once", async () => {
      const program = programOf("docs/guides/back-ends.md")
      const [available, history, charged, ...more] = await printed(program)
      expect([available, more]).toEqual(["150", []])
      expect(history).toContain("'reference': 'grant:order-7'")
      expect(charged).toMatch(/'state': 'settled', 'charged': 32, 'uncovered': 0/)
      const again = await printed(program)
      expect([again[0], again[2]]).toEqual(["118", "The work was done and paid before."])
    })

    it("leave work to another run that holds the credits for it", async () => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const body = JSON.stringify({ userId: ANN, key: "image-8", amount: 40, lifetimeSeconds: 600 })
      expect((await fetch(`${server.url}/v1/credits/reserve`, { method: "POST", headers, body })).status).toBe(200)
      const lines = await printed(programOf("docs/guides/back-ends.md").replace("image-7", "image-8"))
      expect(lines[2]).toMatch(/^Another run may be working: it holds the credits until 20/)
    })

    it("get a reply by OpenAI's protocol, and say what is left if the credits are not enough", async () => {
      const program = programOf("docs/guides/openai-clients.md")
      expect(await printed(program)).toEqual([expect.stringMatching(/^Hello there [1-9]$/)])
      const { available } = JSON.parse(await run(folder.path, ["credits", "balance", ANN, "--json"])) as {
        readonly available: number
      }
      await adjust(-available)
      expect(await printed(program)).toEqual(["Not enough credits: 0"])
      const work = await printed(programOf("docs/guides/back-ends.md").replace("image-7", "image-9"))
      expect(work[2]).toBe("0 credits are left, 40 are needed")
    })
  })
}
