import { hasLeft } from "./chatActs.ts"
import { replyTo, wishOf } from "../installation/ModelVendor.ts"
import { below, type Scene } from "./Scene.ts"
import { type Answer, send } from "./send.ts"
import { digestOf } from "../Spool.ts"

const BOTS = 4
const OFF_AFTER = 30

/** Creates bots of different people; returns their public keys. */
export const makeBots = (scene: Scene): Promise<ReadonlyArray<string>> =>
  Promise.all(
    Array.from({ length: BOTS }, async (_, index) => {
      const answer = await scene.ask(`person-${index}`, "/api/bots", { body: { displayName: "Ada" } })
      const key = /"publicKey":"([^"]+)"/.exec(answer.text)?.[1]
      if (key === undefined) throw new Error(`A bot was not created: ${answer.status} ${answer.text}`)
      return key
    })
  )

/** A new visitor asks a bot two questions, loads the conversation, and sometimes disconnects during another reply. */
export const visit = async (scene: Scene, keys: ReadonlyArray<string>): Promise<void> => {
  const url = scene.server()
  const who = { publicKey: keys[below(keys.length)] ?? "", visitorId: `visitor-${scene.number()}` }
  const message = async (conversationId: string | undefined, leaveAfter?: number): Promise<Answer> => {
    const number = scene.number()
    const body = {
      ...who,
      message: `Hello, ${wishOf("quick", number)}`,
      ...(conversationId === undefined ? {} : { conversationId })
    }
    const answer = await send({
      url: `${url}/api/widget/chat`,
      body,
      ...(leaveAfter === undefined ? {} : { leaveAfter })
    })
    const conversation = answer.headers["x-conversation-id"]
    const isWhole = answer.status === 200 && answer.end === "whole" && answer.text === replyTo(number)
    if (isWhole && typeof conversation === "string") {
      scene.spool.add({ kind: "visit", conversation, digest: digestOf(answer.text) })
    }
    scene.outcomes.count("widget", answer, leaveAfter === undefined ? isWhole : hasLeft(answer))
    return answer
  }
  const first = await message(undefined)
  const conversationId = first.headers["x-conversation-id"]
  if (typeof conversationId !== "string" || first.end !== "whole") return
  await message(conversationId)
  const loaded = await send({ url: `${url}/api/widget/conversation`, body: { ...who, conversationId } })
  scene.outcomes.count("widget, load", loaded, loaded.status === 200)
  if (below(3) === 0) await message(conversationId, OFF_AFTER)
}
