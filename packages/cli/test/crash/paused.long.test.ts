import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { eventually } from "../processes/ParleyProcess.ts"
import { ChatLoad } from "./chatLoad.ts"
import { CrashRig, hasPostgres } from "./CrashRig.ts"
import { counted, keyOf, spoken } from "./judgeRound.ts"

/** A reply of 20 seconds, and a pause of its server in the middle: other servers take it for dead, and sweep. */
const ASKED = { tokens: 200, slowMs: 100 }
const BEFORE_MS = 3_000
const AFTER_MS = 2_500
/** A reply whose first word comes while its server is paused, so that its hold is swept without a charge. */
const SILENT = { tokens: 4, slowMs: BEFORE_MS + 1_000 }
/**
 * The continuation of the paused server: until its replies end, until they end after SIGTERM, or until it is killed.
 */
const AFTERWARDS = ["ends its replies", "is asked to stop", "is killed"] as const

describe.runIf(hasPostgres)("a server that is paused for longer than holds live", () => {
  it.for(AFTERWARDS)(
    "and then %s: each reply is charged for exactly its stored text",
    { timeout: 300_000 },
    async (afterwards) => {
      await using rig = new CrashRig()
      await using paused = await rig.start()
      await using other = await rig.start()
      const load = new ChatLoad(paused.url, afterwards.replaceAll(" ", "-"))
      const [reader, leaver, silent] = [
        await load.signIn("reader"),
        await load.signIn("leaver"),
        await load.signIn("silent")
      ]
      const { child } = paused.process
      const reading = Promise.all([
        load.ask(reader, ASKED),
        load.ask(leaver, { ...ASKED, leaveAfter: 3, continues: true }),
        load.ask(silent, SILENT)
      ])
      const repeated = { ...SILENT, idempotencyKey: "repeated" }
      const interrupted = load.ask(await load.signIn("repeater"), repeated)
      await sleep(BEFORE_MS)
      child.kill("SIGSTOP")
      await eventually("the other server to sweep", async () =>
        (await rig.leftHolds()).length === 0 ? true : undefined
      )
      for (const { userId } of [reader, leaver]) {
        expect(await rig.charges(userId)).toMatchObject([{ receipt: { ended: "expired" } }])
      }
      const elsewhere = new ChatLoad(other.url, afterwards.replaceAll(" ", "-"))
      const repetition = elsewhere.ask(await elsewhere.signIn("repeater"), repeated)
      await eventually("the repetition to hold credits", async () =>
        (await rig.leftHolds()).length === 1 ? true : undefined
      )
      child.kill("SIGCONT")
      await sleep(AFTER_MS)
      if (afterwards === "is asked to stop") child.kill("SIGTERM")
      if (afterwards === "is killed") child.kill("SIGKILL")
      const records = await reading
      await interrupted
      const answered = await repetition
      await eventually("all replies to end", async () =>
        (await rig.leftHolds()).length === 0 && (await rig.unended()) === 0 ? true : undefined
      )
      // One idempotency key, one charge, one answer: that of the repetition.
      expect(answered).toMatchObject({ status: 200, end: "complete", text: spoken(SILENT.tokens) })
      expect(await rig.charges(answered.userId)).toMatchObject([{ key: keyOf(answered) }])
      const stored = [...(await rig.replies(answered.userId)).values()].filter(({ content }) => content !== "")
      expect(stored).toEqual([{ content: spoken(SILENT.tokens), state: "complete" }])
      for (const record of records) {
        if (record.messageId === undefined) {
          expect(await rig.charges(record.userId)).toEqual([])
          continue
        }
        const reply = (await rig.replies(record.userId)).get(keyOf(record))
        const charges = await rig.charges(record.userId)
        const output = charges.reduce((sum, { receipt }) => sum + receipt.usage.output, 0)
        const credits = charges.reduce((sum, { amount }) => sum - amount, 0)
        const whole = afterwards !== "is killed"
        if (whole) expect(reply).toEqual({ content: spoken(record.asked.tokens), state: "complete" })
        else expect(reply?.state).toBe("failed")
        expect(output, record.userId).toBe(whole ? record.asked.tokens : counted(reply?.content ?? ""))
        expect(credits, record.userId).toBeLessThanOrEqual(output + charges.length * 20)
      }
      expect(await rig.differences()).toEqual([])
    }
  )
})
