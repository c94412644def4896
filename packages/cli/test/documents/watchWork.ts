import type { ReindexRig } from "./ReindexRig.ts"

/** The statements of the work on documents: each is a step, and so is the end of its transaction. */
const WORK =
  /\.(begin_generation|reuse_embeddings|add_passages|put_document|activate_generation)\(|INSERT INTO \S+(passage_embeddings|document_texts)\b|UPDATE \S+\.documents\b/u
const SWITCH = /\.(put_document|activate_generation)\(/u

/**
 * A moment of the work on documents, independent of the machine's pace: before a step, or before a request near a
 * switch.
 */
export type Moment =
  | { readonly step: number }
  /**
   * In the transaction of the first switch or a later one, after this many of its requests; `ended`: before the next
   * request after it.
   */
  | { readonly switchNumber: number; readonly requests: number | "ended" }

export interface Kill {
  readonly moment: Moment
  /** True if the database still receives the process's last data, although no process reads the responses. */
  readonly arrives: boolean
  readonly kill: () => void
}

export interface WatchedWork {
  /** Requests to the provider and to the database so far. */
  readonly steps: number
  /** The next step at the kill. */
  readonly killedAt: string | undefined
}

/** Never passed on. */
const LOST = new Promise<void>(() => undefined)

/**
 * Counts the steps of all work on documents through the wire from now on, and kills the process at the given moment.
 */
export const watchWork = (rig: ReindexRig, plan?: Kill): WatchedWork => {
  const seen: { steps: number; killedAt: string | undefined } = { steps: 0, killedAt: undefined }
  const working = new Set<number>()
  let switches = 0
  let switching: { readonly connection: number; requests: number | "ended" } | undefined
  const kill = (what: string): void => {
    seen.killedAt = what
    plan?.kill()
  }
  const step = (what: string): void => {
    if (plan !== undefined && "step" in plan.moment && plan.moment.step === seen.steps) kill(what)
    seen.steps += 1
  }
  const beside = (text: string, connection: number): void => {
    if (plan === undefined || "step" in plan.moment) return
    const { requests, switchNumber } = plan.moment
    if (SWITCH.test(text) && switches++ === switchNumber) switching = { connection, requests: 0 }
    if (switching === undefined) return
    if (switching.requests === "ended") {
      if (requests === "ended") kill("after a switch")
    } else if (switching.connection === connection) {
      if (switching.requests++ === requests) kill(`request ${requests} of a switch`)
      else if (text === "COMMIT") switching.requests = "ended"
    }
  }

  rig.provider.refuses = () => {
    if (seen.killedAt === undefined) step("request to the provider")
    // One that had not got there costs nothing.
    return seen.killedAt === undefined || plan?.arrives === true ? undefined : { status: 503 }
  }
  rig.wire.start(new Map(), (text, connection) => {
    if (rig.lostConnections.has(connection)) return LOST
    const ends = text === "COMMIT" && working.delete(connection)
    const works = WORK.test(text)
    if (works) working.add(connection)
    if (seen.killedAt === undefined && (works || ends)) step(WORK.exec(text)?.[0] ?? text)
    if (seen.killedAt === undefined) beside(text, connection)
    if (seen.killedAt === undefined || plan?.arrives === true) return Promise.resolve()
    rig.lostConnections.add(connection)
    return LOST
  })
  return seen
}
