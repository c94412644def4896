/** What of a body is always taken, so that small requests never wait. */
const FREE_BYTES = 16 * 1024
/** What a body that waited may add before it is asked again. */
const GRANT_BYTES = 64 * 1024

export interface BodyMemoryOptions {
  /** What all bodies may keep in memory together. */
  readonly totalBytes: number
  /** What the bodies of one person may. */
  readonly personBytes: number
}

export interface BodyListener {
  /** There is room again: the body may go on. */
  onRoom(): void
  /** The body has to give way to those of people who have less. Its memory is given back already. */
  onRefused(): void
}

/** The part of one body. */
export interface BodyShare {
  /** Counts bytes that arrived. False where the sender has to wait until `onRoom`. */
  add(bytes: number): boolean
  /** Everything has arrived: it keeps its memory, and is not asked to give way any more. */
  complete(): void
  /** Gives the memory back. */
  release(): void
}

/**
 * Bounds what request bodies keep in memory, by the bytes that have arrived: what a sender announces reserves nothing.
 *
 * - A person's bodies wait for each other beyond `personBytes`, all bodies beyond `totalBytes`.
 * - People who have less than an equal part do not wait for those who have more: the youngest unfinished body of the
 *   person who has most gives way to them.
 * - The oldest body, of each person and of all, goes on beyond the bounds where no finished one will give memory back,
 *   so that bodies which wait for each other come to an end. Slow senders are ended elsewhere (`watchArrival`).
 *
 * Beyond `totalBytes` there may be the first 16 KiB of each body, what was on its way when it had to wait, and
 * one body each for the oldest.
 */
export interface BodyMemory {
  /** Begins a body of a person, without any byte. */
  open(person: string, listener: BodyListener): BodyShare
  /** Bytes kept now. */
  readonly bytes: number
}

interface Person {
  bytes: number
  /** Oldest first. */
  readonly unfinished: Set<Body>
  finished: number
}

interface Body {
  readonly owner: string
  readonly person: Person
  readonly listener: BodyListener
  bytes: number
  /** Counted already, and not arrived yet. */
  granted: number
  state: "unfinished" | "finished" | "closed"
}

const first = <A>(set: ReadonlySet<A>): A | undefined => set.values().next().value

export const makeBodyMemory = ({ totalBytes, personBytes }: BodyMemoryOptions): BodyMemory => {
  const people = new Map<string, Person>()
  const unfinished = new Set<Body>()
  const waiting = new Set<Body>()
  let total = 0
  let finished = 0

  const count = (body: Body, bytes: number): void => {
    body.bytes += bytes
    body.person.bytes += bytes
    total += bytes
  }
  const equalPart = () => totalBytes / Math.max(1, people.size)
  const isOldest = (body: Body) => first(unfinished) === body && finished === 0
  const isOldestOf = (person: Person, body: Body) => first(person.unfinished) === body && person.finished === 0
  const mayGoOn = (body: Body): boolean => {
    const { person } = body
    if (body.bytes < FREE_BYTES || isOldest(body)) return true
    if (person.bytes >= personBytes && !isOldestOf(person, body)) return false
    return total < totalBytes || (person.bytes < equalPart() && makeRoomFor(person))
  }
  /** Ends the youngest bodies of those who have most. Where none can be ended, a person who has little goes on all the same. */
  const makeRoomFor = (person: Person): true => {
    while (total >= totalBytes) {
      const most = [...people.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a))
      const youngest = [...most.unfinished].findLast((body) => body.bytes > FREE_BYTES)
      if (most === person || most.bytes <= equalPart() || youngest === undefined) return true
      close(youngest)
      youngest.listener.onRefused()
    }
    return true
  }
  const leave = (body: Body): void => {
    unfinished.delete(body)
    body.person.unfinished.delete(body)
    waiting.delete(body)
  }
  const complete = (body: Body): void => {
    if (body.state !== "unfinished") return
    leave(body)
    body.state = "finished"
    count(body, -body.granted)
    body.granted = 0
    finished += 1
    body.person.finished += 1
  }
  const close = (body: Body): void => {
    if (body.state === "closed") return
    const { owner, person } = body
    leave(body)
    count(body, -body.bytes)
    if (body.state === "finished") {
      finished -= 1
      person.finished -= 1
    }
    body.state = "closed"
    if (person.unfinished.size + person.finished === 0) people.delete(owner)
  }
  const wake = (): void => {
    for (const body of waiting) {
      // Asking may make room, and so have woken it already.
      if (!mayGoOn(body) || !waiting.delete(body)) continue
      body.granted = GRANT_BYTES
      count(body, GRANT_BYTES)
      body.listener.onRoom()
    }
  }

  const shareOf = (body: Body): BodyShare => ({
    add: (bytes) => {
      if (body.state !== "unfinished") return false
      const granted = Math.min(body.granted, bytes)
      body.granted -= granted
      count(body, bytes - granted)
      if (body.granted > 0 || mayGoOn(body)) return true
      waiting.add(body)
      return false
    },
    complete: () => {
      complete(body)
      wake()
    },
    release: () => {
      close(body)
      wake()
    }
  })

  return {
    open: (owner, listener) => {
      const person = people.get(owner) ?? { bytes: 0, unfinished: new Set(), finished: 0 }
      people.set(owner, person)
      const body: Body = { owner, person, listener, bytes: 0, granted: 0, state: "unfinished" }
      person.unfinished.add(body)
      unfinished.add(body)
      return shareOf(body)
    },
    get bytes() {
      return total
    }
  }
}
