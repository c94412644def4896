import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { FakeOpenAi, STEERED } from "../../../test/support/FakeOpenAi.ts"
import { codeBlocks, moduleName, withProject } from "../../../tooling/docs/codeBlocks.ts"
import { root } from "../../../tooling/docs/sitePages.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"
const run = promisify(execFile)
const blocks = codeBlocks().filter(({ path }) => path === "docs/guides/openai-clients.md")

interface Completion {
  readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }>
  readonly usage: { readonly total_tokens: number; readonly credits: number }
}

describe("OpenAI's protocol on a server with a vendor", () => {
  const folder = temporaryFolder()
  const vendor = new FakeOpenAi()
  let server: ServerHere
  let key: string
  beforeAll(async () => {
    server = await serveHere(folder.path, { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: await vendor.start() })
    const argv = ["keys", "create", "--name", "tools", "--scope", "chat:complete", "--scope", "credits:read", "--json"]
    key = (JSON.parse((await runHere(argv, folder.path)).stdout) as { readonly key: string }).key
  })
  beforeEach(() => {
    vendor.calls.length = 0
    vendor.refuseWith = undefined
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await vendor[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  const environment = () => ({ ...process.env, PARLEY_URL: server.url, PARLEY_KEY: key })

  const send = (body: object) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "model-a-mini", user: ANN, messages: [{ role: "user", content: "Hi" }], ...body })
    })

  const usageOf = async (user: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${server.url}/v1/users/${user}/history?type=usage`, { headers })
    return (await answer.json()) as {
      readonly transactions: ReadonlyArray<{ readonly amount: number; readonly receipt: { readonly ended: string } }>
    }
  }

  it("runs the program of the guide, which streams the vendor's words and prints its figures and the price", async () => {
    const programs = blocks.filter(({ language }) => language === "ts")
    const printed = await withProject(programs, async (project) => {
      const [program] = programs
      if (program === undefined) throw new Error("The guide has no program.")
      const file = join(dirname(project), moduleName(program))
      return (await run(process.execPath, [file], { env: environment() })).stdout
    })
    expect(printed).toMatch(/^Hello there\n/)
    expect(printed).toMatch(/prompt_tokens: 12,\s+completion_tokens: 2,\s+total_tokens: 14/)
    expect(printed).toMatch(/credits: [1-9]/)
    expect(vendor.calls).toHaveLength(1)
    expect(vendor.calls[0]?.body).toMatchObject({
      messages: [
        { role: "system", content: "Answer in one sentence." },
        { role: "user", content: "What is a notice period?" }
      ],
      max_completion_tokens: 500
    })
  })

  it("answers the commands of the guide", async () => {
    const commands = blocks.find(({ language, text }) => language === "sh" && text.startsWith("curl"))?.text ?? ""
    const { stdout } = await run("bash", ["-euc", commands.replaceAll(/^curl/gm, "echo; curl -sS")], {
      env: environment()
    })
    const [models, completion] = stdout.trim().split("\n")
    expect(JSON.parse(models ?? "")).toMatchObject({ object: "list", data: [{ id: "model-a-mini" }, {}, {}] })
    const answer = JSON.parse(completion ?? "") as Completion
    expect(answer.choices[0]?.message.content).toBe("Hello there")
    expect(answer.usage).toMatchObject({ total_tokens: 14 })
  })

  it.each([400, 429, 503])(
    "answers a vendor's %i without a word of the vendor's, and charges nothing",
    async (status) => {
      const before = (await usageOf(ANN)).transactions.length
      vendor.refuseWith = status
      vendor.refusalBody = '{"error":{"message":"words of the vendor","type":"x"}}'
      const answer = await send({})
      expect(answer.status).toBe(500)
      const text = await answer.text()
      expect(JSON.parse(text)).toMatchObject({ error: { type: "server_error", code: expect.any(String) } })
      expect(text + server.said.stderr).not.toContain("words of the vendor")
      expect((await usageOf(ANN)).transactions).toHaveLength(before)
    }
  )

  it.each([true, false])("ends and charges the reply of a client that is killed (stream: %s)", async (stream) => {
    const user = `killed-${stream}@example.com`
    const program = `
      import OpenAI from "openai"
      const client = new OpenAI({ baseURL: process.env.PARLEY_URL + "/v1", apiKey: process.env.PARLEY_KEY })
      const messages = [{ role: "user", content: "${STEERED}" }]
      const answer = await client.chat.completions.create({ model: "model-a-mini", user: "${user}", messages, stream: ${stream} })
      if (${stream}) for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? "")
    `
    const client = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: root, env: environment() })
    const ended = once(client, "exit")
    let printed = ""
    client.stdout.on("data", (text) => void (printed += String(text)))
    const reply = await vendor.steered()
    reply.say("Half of it")
    if (stream) await eventually("the words", () => (printed === "Half of it" ? true : undefined))
    else await eventually("the reply to be stored", async () => (await chatsOf(user)) || undefined)
    client.kill("SIGKILL")
    await Promise.all([ended, reply.left()])
    const row = await eventually("the charge", async () => (await usageOf(user)).transactions[0])
    expect(row).toMatchObject({ receipt: { ended: "stopped" } })
    expect(row.amount).toBeLessThan(0)
  })

  /** The number of the person's chats. */
  const chatsOf = async (user: string): Promise<number> => {
    const signedIn = await fetch(`${server.url}/dev/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: user })
    })
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const { total } = (await (await fetch(`${server.url}/api/chats`, { headers: { cookie } })).json()) as {
      total: number
    }
    return total
  }
})
