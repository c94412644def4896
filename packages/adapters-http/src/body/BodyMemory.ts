/** Bytes of a body that are always accepted, so that small requests never wait. */
const FREE_BYTES = 16 * 1024
/** Bytes that a waiting body may add before it has to wait again. */
const GRANT_BYTES = 64 * 1024

export interface BodyMemoryOptions {
  /** Memory of all bodies together. */
  readonly totalBytes: number
  /** Memory of the bodies of one person. */
  readonly personBytes: number
}

export interface BodyListener {
  /** Called when there is room again and the body may continue. */
  onRoom(): void
  /** Called when the body has to give way to those of people with less. Its memory is returned already. */
  onRefused(): void
}

/** The part of one body. */
export interface BodyShare {
  /** Counts arrived bytes. Returns false if the sender has to wait until `onRoom`. */
  add(bytes: number): boolean
  /** The body is complete: it keeps its memory, and no longer gives way. */
  complete(): void
  /** Returns the memory. */
  release(): void
}

/**
 * Bounds the memory of request bodies, by the bytes that have arrived: an announced length reserves nothing.
 *
 * - A person's bodies wait for each other beyond `personBytes`, all bodies beyond `totalBytes`.
 * - People below an equal share do not wait for those above it: the newest unfinished body of the person with the most
 *   memory gives way to them.
 * - The oldest body, of each person and of all, continues beyond the bounds if no finished body will return memory, so
 *   that bodies that wait for each other come to an end.
 *
 * `watchArrival` ends slow senders. The memory may exceed `totalBytes` by the first 16 KiB of each body, by data in
 * transit when a body had to wait, and by one body each for the oldest.
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
  /**
   * Refuses the newest bodies of the people with the most memory. If none can be refused, a person with little
   * continues anyway.
   */
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
