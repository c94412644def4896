import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CrashRig, hasPostgres } from "../crash/CrashRig.ts"
import { FakeOpenAi } from "../../../../test/support/FakeOpenAi.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import type { RunningServer } from "../processes/RunningServer.ts"

const CALLERS = 64
const PRICE = 10
const CAP = 100
const MANY = 1_000_000

/** The price of a reply is fixed; no limit of rates applies. */
const config = {
  tiers: { free: { monthlyCredits: MANY } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } },
  widget: {
    ...{ perIpPerMinute: MANY, streamsPerIp: MANY, perConversationPerMinute: MANY },
    ...{ perBotPerMinute: MANY, streamsPerBot: MANY, ownerDailyCredits: CAP },
    botDailyPercent: 100
  }
}

/** Callers of one owner's bots, at this many server processes at once. */
export const dailyCap = (serverCount: number) =>
  describe.skipIf(!hasPostgres)("the day's limit of an owner's bots", () => {
    const vendor = new FakeOpenAi()
    let rig: CrashRig
    let servers: ReadonlyArray<RunningServer> = []

    beforeAll(async () => {
      const settings = {
        ...{ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: await vendor.start(), PARLEY_HOLD_TTL: "60" },
        // Each caller has an address of their own, which the test names as a proxy does.
        ...{ PARLEY_TRUST_PROXY: "1", PARLEY_SESSION_SECRET: "not-used-by-visitors-but-long-enough-7361" }
      }
      rig = new CrashRig(config, settings)
      const first = await rig.start()
      servers = [first, ...(await Promise.all(Array.from({ length: serverCount - 1 }, () => rig.start())))]
    })
    afterAll(async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
      await vendor[Symbol.asyncDispose]()
      await rig[Symbol.asyncDispose]()
    })

    /** Today's charges of the owner's bots, their held credits, and the number of holds. */
    const spentOf = async (owner: string) => {
      const [row] = await rig.query<{ charged: number; held: number; open: number }>(
        `SELECT usage_by_kind[3] AS charged, usage_by_kind[4] AS held, open_holds AS open
       FROM ${rig.schema}.credit_accounts WHERE user_id = $1`,
        [owner]
      )
      return row ?? { charged: 0, held: 0, open: 0 }
    }

    const newBot = async (owner: string) => {
      const { stdout } = await rig.parley(["bots", "create", "--owner", owner, "--name", "Ada", "--json"])
      return (JSON.parse(stdout) as { readonly publicKey: string }).publicKey
    }

    /**
     * The responses to one message of each caller, all sent at once, by bots and servers in turn; admitted callers
     * stay.
     */
    const askAll = (keys: ReadonlyArray<string>, leaving: AbortSignal) =>
      Promise.all(
        Array.from({ length: CALLERS }, (_, index) =>
          fetch(`${servers[index % serverCount]?.url}/api/widget/chat`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-forwarded-for": `192.0.2.${index}` },
            body: JSON.stringify({
              publicKey: keys[Math.floor(index / serverCount) % keys.length],
              visitorId: `visitor-${index}`,
              message: "Say half of it, then silence"
            }),
            signal: leaving
          })
        )
      )

    it(`is never passed by ${CALLERS} callers on ${serverCount} processes whose replies are all open, nor when they have ended`, async () => {
      const owner = "owner@example.com"
      const keys = [await newBot(owner), await newBot(owner)]
      const leaving = new AbortController()
      const answers = await askAll(keys, leaving.signal)
      const statuses = Map.groupBy(answers, ({ status }) => status)
      expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([CAP / PRICE, CALLERS - CAP / PRICE])
      expect(await spentOf(owner)).toEqual({ charged: 0, held: CAP, open: CAP / PRICE })
      for (const refused of statuses.get(429) ?? []) {
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(await refused.json()).toMatchObject({ code: "bot_resting" })
      }
      leaving.abort()
      const after = await eventually("all replies to be paid", async () => {
        const spent = await spentOf(owner)
        return spent.open === 0 ? spent : undefined
      })
      expect(after).toEqual({ charged: CAP, held: 0, open: 0 })
      const again = await askAll(keys, new AbortController().signal)
      expect(again.map(({ status }) => status)).toEqual(Array.from({ length: CALLERS }, () => 429))
      expect(await spentOf(owner)).toEqual(after)
    })
  })
