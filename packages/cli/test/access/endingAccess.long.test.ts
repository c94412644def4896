import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FakeOpenAi, STEERED } from "../../../../test/support/FakeOpenAi.ts"
import { catalog, CrashRig, hasPostgres } from "../crash/CrashRig.ts"
import { spoken } from "../crash/judgeRound.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import { type RunningServer, Visitor } from "../processes/RunningServer.ts"

const SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"
/** Every process knows of a change after two seconds; the rest is for requests on a busy machine. */
const KNOWN_WITHIN_MS = 2_000 + 500
const BEGUN = 40

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
const seconds = () => Math.floor(Date.now() / 1_000)

/** A token of the tests' identity provider; `iat` null leaves it out. */
const tokenOf = (sub: string, iat: number | null = seconds() - 60): string => {
  const claims = { sub, exp: seconds() + 3_600, ...(iat === null ? {} : { iat }) }
  const signed = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url(claims)}`
  return `${signed}.${createHmac("sha256", SECRET).update(signed).digest("base64url")}`
}

/** Waits for the next second, in which a token is newer than all that was done before. */
const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1_050 - (Date.now() % 1_000)))

/** Reads a response to its end, or until it breaks off. */
const readAll = async (answer: Response) => {
  const decoder = new TextDecoder()
  let text = ""
  try {
    for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true })
    return { text, complete: true }
  } catch {
    return { text, complete: false }
  }
}

describe.runIf(hasPostgres)("ending access, on two server processes", () => {
  const vendor = new FakeOpenAi()
  let rig: CrashRig
  let servers: ReadonlyArray<RunningServer> = []
  beforeAll(async () => {
    const settings = { PARLEY_SESSION_SECRET: SECRET, OPENAI_API_KEY: "sk-of-the-tests" }
    const free = { ...catalog.tiers.free, maxConcurrentReplies: 100 }
    rig = new CrashRig({ ...catalog, tiers: { free } }, { ...settings, OPENAI_BASE_URL: await vendor.start() })
    servers = [await rig.start(), await rig.start()]
  })
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]()
    await vendor[Symbol.asyncDispose]()
    await rig[Symbol.asyncDispose]()
  })

  /** One browser at each server, with one token. */
  const browsers = (token: string) => servers.map(({ url }) => new Visitor(url, `parley_session=${token}`))
  const statuses = (visitors: ReadonlyArray<Visitor>, path = "/api/billing/balance") =>
    Promise.all(visitors.map(async (visitor) => (await visitor.get(path)).status))
  const users = async (...argv: ReadonlyArray<string>) => {
    const { exit, stderr, stdout } = await rig.parley(["users", ...argv, "--json"])
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout) as Record<string, unknown>
  }
  /** Waits until all servers answer with a status; fails if that takes longer than it may. */
  const everywhere = (visitors: ReadonlyArray<Visitor>, status: number) =>
    eventually(
      `${status} everywhere`,
      async () => ((await statuses(visitors)).every((each) => each === status) ? true : undefined),
      KNOWN_WITHIN_MS
    )
  const say = (content: string) => ({ messages: [{ role: "user", content }] })
  /** Asks for a reply, and returns it when its first words have arrived. */
  const begin = async (visitor: Visitor, path = "/api/chat", body: unknown = say(STEERED)) => {
    const asking = visitor.post(path, body)
    const reply = await vendor.steered()
    reply.say(spoken(BEGUN))
    const answer = await asking
    expect(answer.status).toBe(200)
    return { answer, reply, read: readAll(answer) }
  }
  const newBot = async (owner: string): Promise<string> => {
    const { exit, stdout } = await rig.parley(["bots", "create", "--owner", owner, "--name", "Help", "--json"])
    expect(exit).toBe(0)
    return (JSON.parse(stdout) as { publicKey: string }).publicKey
  }
  const accountsOf = async (user: string) => {
    const [row] = await rig.query<{ accounts: number }>(
      `SELECT count(*) AS accounts FROM ${rig.schema}.credit_accounts WHERE user_id = $1`,
      [user]
    )
    return row?.accounts
  }
  const holds = async () => (await rig.leftHolds()).length

  it("a block refuses the person everywhere, ends their replies and those of their bots, and is lifted again", async () => {
    const person = browsers(tokenOf("blocked"))
    const other = browsers(tokenOf("bystander"))
    expect(await statuses([...person, ...other])).toEqual([200, 200, 200, 200])
    const key = await newBot("blocked")
    const visit = { publicKey: key, visitorId: crypto.randomUUID(), message: STEERED }
    const running = [
      await begin(person[0] as Visitor),
      await begin(person[1] as Visitor),
      await begin(new Visitor(servers[1]?.url ?? ""), "/api/widget/chat", visit)
    ]
    const bystander = await begin(other[0] as Visitor)

    expect(await users("block", "blocked", "--reason", "abuse")).toMatchObject({ user: "blocked", blocked: true })
    const ended = performance.now()
    await everywhere(person, 403)
    const problem = (await (await person[0]?.get("/api/chats"))?.json()) as { code: string }
    expect(problem.code).toBe("blocked")
    for (const { read } of running) expect(await read).toEqual({ text: spoken(BEGUN), complete: false })
    expect(performance.now() - ended).toBeLessThan(KNOWN_WITHIN_MS)
    await eventually("the holds of the blocked person to end", async () => ((await holds()) === 1 ? true : undefined))
    const charges = await rig.charges("blocked")
    const stored = await rig.replies("blocked")
    expect(charges).toHaveLength(3)
    for (const { key: reply, receipt } of charges) {
      expect(receipt).toMatchObject({ ended: "stopped" })
      expect(stored.get(reply)).toEqual({ content: spoken(BEGUN), state: "stopped" })
    }
    for (const { url } of servers) {
      const declined = await new Visitor(url).post("/api/widget/chat", { ...visit, message: "Hello?" })
      expect(declined.status).toBe(200)
      expect(declined.headers.get("x-conversation-id")).not.toBeNull()
      expect(await declined.text()).toBe("I cannot answer at the moment. Please try again later.")
    }
    expect(await rig.charges("blocked")).toHaveLength(3)

    bystander.reply.end()
    expect(await bystander.read).toEqual({ text: spoken(BEGUN), complete: true })
    expect(await users("unblock", "blocked")).toMatchObject({ blocked: false })
    await everywhere(person, 200)
    const again = await begin(person[1] as Visitor)
    again.reply.end()
    expect(await again.read).toMatchObject({ complete: true })
    const { stdout } = await rig.parley(["audit", "list", "--user", "blocked", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      entries: [{ action: "users unblock" }, { action: "users block", reason: "abuse" }]
    })
  })

  it("signing out refuses older tokens everywhere, and those without a time; running replies continue", async () => {
    const older = browsers(tokenOf("leaver"))
    const timeless = browsers(tokenOf("leaver", null))
    expect(await statuses([...older, ...timeless])).toEqual([200, 200, 200, 200])
    const { read, reply } = await begin(older[0] as Visitor)
    await users("sign-out", "leaver")
    await everywhere([...older, ...timeless], 401)
    reply.end()
    expect(await read).toEqual({ text: spoken(BEGUN), complete: true })
    await nextSecond()
    expect(await statuses(browsers(tokenOf("leaver", seconds())))).toEqual([200, 200])
    expect(await statuses(older)).toEqual([401, 401])
  })

  it("an older token of an erased person opens no account, also while the erasure goes on; a later sign-in does", async () => {
    const older = browsers(tokenOf("erased"))
    expect(await statuses(older)).toEqual([200, 200])
    let going = true
    const answers = new Set<number>()
    const hammer = older.flatMap((visitor) =>
      ["/api/billing/balance", "/api/models", "/api/chat"].map(async (path) => {
        while (going) {
          const answer = await (path === "/api/chat" ? visitor.post(path, say("Hello")) : visitor.get(path))
          await answer.body?.cancel()
          answers.add(answer.status)
        }
      })
    )
    await users("block", "erased")
    await everywhere(older, 403)
    await eventually("the holds to end", async () => ((await holds()) === 0 ? true : undefined))
    // The tokens count again while the erasure begins.
    await users("unblock", "erased")
    await everywhere(older, 200)
    const erasing = () => rig.parley(["users", "delete", "erased", "--json"])
    await eventually("the erasure between two replies", async () => ((await erasing()).exit === 0 ? true : undefined))
    expect(await accountsOf("erased")).toBe(0)
    await everywhere(older, 401)
    going = false
    await Promise.all(hammer)
    expect([...answers].filter((status) => status >= 500)).toEqual([])
    expect(await accountsOf("erased")).toBe(0)
    await nextSecond()
    expect(await statuses(browsers(tokenOf("erased", seconds())))).toEqual([200, 200])
    expect(await accountsOf("erased")).toBe(1)
    expect(await rig.query(`SELECT subject FROM ${rig.schema}.access WHERE subject = 'erased'`)).toEqual([])
  })

  it("deleting one's own account ends its replies on every server; 30 days pass before the next deletion", async () => {
    const deletion = async (visitor: Visitor | undefined, userId: string) => {
      const answer = await visitor?.send("DELETE", "/api/account", { userId })
      return { status: answer?.status, body: (await answer?.json()) as Record<string, unknown> }
    }
    const person = browsers(tokenOf("quitter"))
    expect(await statuses(person)).toEqual([200, 200])
    const visit = { publicKey: await newBot("quitter"), visitorId: crypto.randomUUID(), message: STEERED }
    const running = [
      await begin(person[0] as Visitor),
      await begin(person[1] as Visitor),
      await begin(new Visitor(servers[1]?.url ?? ""), "/api/widget/chat", visit)
    ]
    expect(await deletion(person[0], "quitter")).toMatchObject({ status: 200, body: { chats: 3 } })
    for (const { read } of running) expect(await read).toEqual({ text: spoken(BEGUN), complete: false })
    expect(await rig.query(`SELECT id FROM ${rig.schema}.messages WHERE user_id = 'quitter'`)).toEqual([])
    await everywhere(person, 401)
    await nextSecond()
    const returned = browsers(tokenOf("quitter", seconds()))
    expect(await statuses(returned)).toEqual([200, 200])
    for (const visitor of returned) {
      const { body, status } = await deletion(visitor, "quitter")
      expect([status, body["code"]]).toEqual([429, "erasure_limited"])
    }
    expect(await accountsOf("quitter")).toBe(1)
    expect((await rig.parley(["users", "delete", "quitter", "--json"])).exit).toBe(0)
  })

  it("people are listed and found page by page, with their blocks", async () => {
    for (const user of ["pager-1", "pager-2", "pager-3"]) {
      expect(await statuses(browsers(tokenOf(user)))).toEqual([200, 200])
    }
    await users("block", "pager-2")
    const free = { tier: "free", blocked: false, blockedAt: null, notBefore: null }
    const first = await users("find", "PAGER-", "--limit", "2")
    expect(first).toMatchObject({
      users: [
        { user: "pager-1", ...free },
        { user: "pager-2", tier: "free", blocked: true }
      ]
    })
    const last = { users: [{ user: "pager-3", ...free, available: 1_000_000 }], next: null }
    expect(await users("find", "pager-", "--after", String(first["next"]))).toEqual(last)
    const { users: blocked } = await users("list", "--blocked")
    expect(blocked).toMatchObject([{ user: "pager-2" }])
  })

  it("a block while replies begin: none begins after two seconds, none stays running, and answers equal the rows", async () => {
    for (let round = 0; round < 3; round++) {
      const user = `racer-${round}`
      const person = browsers(tokenOf(user))
      expect(await statuses(person)).toEqual([200, 200])
      const began = performance.now()
      let blockedAt = Infinity
      const asked = Array.from({ length: 40 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 100))
        const sentAt = performance.now()
        const answer = await (person[index % 2] as Visitor).post("/api/chat", say("silence, please"))
        return { sentAt, status: answer.status, id: answer.headers.get("x-message-id"), ...(await readAll(answer)) }
      })
      await new Promise((resolve) => setTimeout(resolve, 500 + round * 300 + Math.random() * 300))
      await users("block", user)
      blockedAt = performance.now() - began
      const all = await Promise.all(asked)
      const replies = all.filter(({ status }) => status === 200)
      for (const { sentAt, status } of all) {
        expect([200, 403]).toContain(status)
        if (sentAt - began > blockedAt + 2_000) expect(status).toBe(403)
      }
      expect(replies.length).toBeGreaterThan(0)
      for (const { complete, text } of replies) expect({ complete, text }).toEqual({ complete: false, text: "Hello" })
      await eventually("the holds to end", async () => ((await holds()) === 0 ? true : undefined), KNOWN_WITHIN_MS)
      expect(await rig.unended()).toBe(0)
      const charged = (await rig.charges(user)).map(({ key }) => key)
      expect(new Set(charged)).toEqual(new Set(replies.map(({ id }) => `reply:${id}`)))
      expect(charged).toHaveLength(replies.length)
    }
    expect(await rig.differences()).toEqual([])
  })
})
