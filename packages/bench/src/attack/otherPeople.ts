import { availableParallelism, loadavg } from "node:os"
import { quantile } from "../measuring/statistics.ts"
import { formOf, makeAgent, request } from "./request.ts"

/** The longest acceptable response times of other people, in milliseconds. */
export const GOALS = { median: 20, p99: 200 }
const PAUSE_MS = 20

/** The response times of other people, in milliseconds. */
export interface Felt {
  readonly light: Array<number>
  readonly uploads: Array<number>
  failures: number
}

export interface OtherPeople {
  readonly url: string
  /** The session cookie of each person. */
  readonly cookies: ReadonlyArray<string>
  /** The paths that each person reads one after another. */
  readonly paths: ReadonlyArray<string>
  /** True if one of the people uploads a small document in every tenth round. */
  readonly uploads: boolean
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets the people use the server for `forMs` milliseconds, and measures the response times. */
export const live = async ({ cookies, paths, uploads, url }: OtherPeople, forMs: number): Promise<Felt> => {
  const felt: Felt = { light: [], uploads: [], failures: 0 }
  const until = performance.now() + forMs
  const person = async (cookie: string, index: number) => {
    const agent = makeAgent()
    const { body, type } = formOf("note.txt", Buffer.alloc(64 * 1024, "a small note "))
    for (let round = 0; performance.now() < until; round++) {
      for (const path of paths) {
        const answer = await request(agent, { url, cookie, path }).catch(() => undefined)
        if (answer?.status === 200) felt.light.push(answer.milliseconds)
        else felt.failures += 1
        await pause(PAUSE_MS)
      }
      if (!uploads || index > 0 || round % 10 !== 0) continue
      const answer = await request(agent, { url, cookie, method: "POST", path: "/api/upload", type, body }).catch(
        () => undefined
      )
      // If a person's quota of documents is used up, the response time of the refusal counts.
      if (answer?.status === 200 || answer?.status === 403) felt.uploads.push(answer.milliseconds)
      else felt.failures += 1
    }
    agent.destroy()
  }
  await Promise.all(cookies.map(person))
  return felt
}

export const meetsGoals = ({ failures, light }: Felt): boolean =>
  quantile(light, 0.5) < GOALS.median && quantile(light, 0.99) < GOALS.p99 && failures === 0

/** Returns the load of the machine. Figures from a busy machine are not reliable. */
export const load = () => `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`

export const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(10)

/** Returns one line with the response times of other people. */
export const lineOf = (name: string, { failures, light, uploads }: Felt): string => {
  const uploaded = uploads.length === 0 ? "" : `   uploads p50 ${ms(quantile(uploads, 0.5))}`
  const all = light.length + uploads.length + failures
  return `  ${name.padEnd(8)}p50 ${ms(quantile(light, 0.5))}   p99 ${ms(quantile(light, 0.99))}${uploaded}   failed ${failures} of ${all}`
}
