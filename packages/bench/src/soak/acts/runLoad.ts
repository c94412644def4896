import { setTimeout as sleep } from "node:timers/promises"
import { ChatActs } from "./chatActs.ts"
import { uploadAndAsk } from "./documentActs.ts"
import { PaymentActs } from "./paymentActs.ts"
import { below, type Scene } from "./Scene.ts"
import { makeBots, visit } from "./widgetActs.ts"

/** The number of acts that begin in each second. Several kinds of acts send more than one request. */
const PER_SECOND = 6
/** While this many acts run, no further act begins, so that a server that hangs is not overloaded. */
const AT_ONCE = 120

type Act = () => Promise<void>

/** Returns the kinds of acts, each with its share in percent. */
const actsOf = (scene: Scene, keys: ReadonlyArray<string>): ReadonlyArray<readonly [number, Act]> => {
  const chats = new ChatActs(scene)
  const payments = new PaymentActs(scene)
  return [
    [32, () => chats.ask("quick")],
    [6, () => chats.ask("slow")],
    [2, () => chats.ask("flaky")],
    [12, () => chats.leave()],
    [6, () => chats.continueElsewhere()],
    [4, () => chats.repeat()],
    [2, () => chats.meetFault("limited")],
    [2, () => chats.meetFault("broken")],
    [4, () => chats.meetFault("cut")],
    [5, () => chats.read()],
    [5, () => uploadAndAsk(scene)],
    [12, () => visit(scene, keys)],
    [8, () => payments.buy()]
  ]
}

const pick = (acts: ReadonlyArray<readonly [number, Act]>): Act => {
  let left = below(acts.reduce((sum, [share]) => sum + share, 0))
  for (const [share, act] of acts) {
    left -= share
    if (left < 0) return act
  }
  throw new Error("There are no acts.")
}

/**
 * Begins acts at a steady rate for `durationMs`, and waits until all have ended. Returns the share of the acts that
 * were skipped because too many were running.
 */
export const runLoad = async (scene: Scene, durationMs: number): Promise<number> => {
  const acts = actsOf(scene, await makeBots(scene))
  const running = new Set<Promise<void>>()
  const start = Date.now()
  let begun = 0
  let skipped = 0
  for (; Date.now() < start + durationMs; begun += 1) {
    await sleep(Math.max(0, start + (begun * 1_000) / PER_SECOND - Date.now()))
    if (running.size >= AT_ONCE) {
      skipped += 1
      continue
    }
    const act = pick(acts)()
      .catch((error: Error) => scene.outcomes.fail(`the driver failed: ${error.message}`))
      .finally(() => running.delete(act))
    running.add(act)
  }
  await Promise.all(running)
  return skipped / begun
}
