/** Bytes of a body that are always accepted, so that small requests never wait. */
const FREE_BYTES = 16 * 1024
/** Bytes that a waiting body may send, once there is room, before it may have to wait again. */
const GRANT_BYTES = 64 * 1024

export interface BodyMemoryOptions {
  /** The bytes that all bodies together may take. */
  readonly totalBytes: number
  /** The bytes that the bodies of one person may take. */
  readonly personBytes: number
}

export interface BodyListener {
  /** Called when there is room again and the sender of the body may continue. */
  onRoom(): void
  /**
   * Called when the body is refused to make room for people who use less memory. Its memory is already returned then.
   */
  onRefused(): void
}

/** The memory of one body. */
export interface BodyShare {
  /** Counts arrived bytes. Returns false if the sender has to be paused until `onRoom` is called. */
  add(bytes: number): boolean
  /** Marks the body as complete: it keeps its memory, and is no longer refused to make room for others. */
  complete(): void
  /** Returns the memory. */
  release(): void
}

interface Person {
  bytes: number
  /** The person's bodies that are still arriving, oldest first. */
  readonly unfinished: Set<Body>
  finished: number
}

interface Body {
  readonly owner: string
  readonly person: Person
  readonly listener: BodyListener
  bytes: number
  /** Bytes that are counted already but have not arrived yet. */
  granted: number
  state: "unfinished" | "finished" | "closed"
}

const first = <A>(set: ReadonlySet<A>): A | undefined => set.values().next().value

/**
 * Bounds the memory of request bodies by the bytes that have arrived: an announced length reserves nothing.
 *
 * - The bodies of one person wait beyond `personBytes`, all bodies beyond `totalBytes`.
 * - A person who uses less than an equal share does not wait for people who use more: the newest unfinished body of the
 *   person with the most memory is refused to make room.
 * - To avoid deadlock, the oldest body of each person, and the oldest of all, continue beyond the bounds if no complete
 *   body is left whose memory will be returned.
 *
 * `watchArrival` disconnects slow senders. The memory may exceed `totalBytes` by the first 16 KiB of each body, by data
 * in transit when a body was paused, and by one body for each of the oldest ones.
 */
export class BodyMemory {
  readonly #totalBytes: number
  readonly #personBytes: number
  readonly #people = new Map<string, Person>()
  /** All bodies that are still arriving, oldest first. */
  readonly #unfinished = new Set<Body>()
  readonly #waiting = new Set<Body>()
  #total = 0
  #finished = 0

  constructor({ personBytes, totalBytes }: BodyMemoryOptions) {
    this.#totalBytes = totalBytes
    this.#personBytes = personBytes
  }

  /** The bytes that all bodies take now. */
  get bytes(): number {
    return this.#total
  }

  /** Registers a new body of a person, with no bytes yet. */
  open(owner: string, listener: BodyListener): BodyShare {
    const person = this.#people.get(owner) ?? { bytes: 0, unfinished: new Set(), finished: 0 }
    this.#people.set(owner, person)
    const body: Body = { owner, person, listener, bytes: 0, granted: 0, state: "unfinished" }
    person.unfinished.add(body)
    this.#unfinished.add(body)
    return {
      add: (bytes) => {
        if (body.state !== "unfinished") return false
        const granted = Math.min(body.granted, bytes)
        body.granted -= granted
        this.#count(body, bytes - granted)
        if (body.granted > 0 || this.#mayGoOn(body)) return true
        this.#waiting.add(body)
        return false
      },
      complete: () => {
        if (body.state !== "unfinished") return
        this.#leave(body)
        body.state = "finished"
        this.#count(body, -body.granted)
        body.granted = 0
        this.#finished += 1
        body.person.finished += 1
        this.#wake()
      },
      release: () => {
        this.#close(body)
        this.#wake()
      }
    }
  }

  /** Counts a complete body that is already in memory, so that it cannot be made to wait. */
  keep(owner: string, bytes: number): Pick<BodyShare, "release"> {
    const share = this.open(owner, { onRoom: () => undefined, onRefused: () => undefined })
    share.add(bytes)
    share.complete()
    return share
  }

  #close(body: Body): void {
    if (body.state === "closed") return
    const { owner, person } = body
    this.#leave(body)
    this.#count(body, -body.bytes)
    if (body.state === "finished") {
      this.#finished -= 1
      person.finished -= 1
    }
    body.state = "closed"
    if (person.unfinished.size + person.finished === 0) this.#people.delete(owner)
  }

  #count(body: Body, bytes: number): void {
    body.bytes += bytes
    body.person.bytes += bytes
    this.#total += bytes
  }

  #leave(body: Body): void {
    this.#unfinished.delete(body)
    body.person.unfinished.delete(body)
    this.#waiting.delete(body)
  }

  #equalPart(): number {
    return this.#totalBytes / Math.max(1, this.#people.size)
  }

  #mayGoOn(body: Body): boolean {
    const { person } = body
    if (body.bytes < FREE_BYTES || (first(this.#unfinished) === body && this.#finished === 0)) return true
    const isOldestOfPerson = first(person.unfinished) === body && person.finished === 0
    if (person.bytes >= this.#personBytes && !isOldestOfPerson) return false
    return this.#total < this.#totalBytes || (person.bytes < this.#equalPart() && this.#makeRoomFor(person))
  }

  /**
   * Refuses the newest bodies of the people with the most memory. If no body can be refused, a person who uses little
   * memory continues anyway.
   */
  #makeRoomFor(person: Person): true {
    while (this.#total >= this.#totalBytes) {
      const most = [...this.#people.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a))
      const youngest = [...most.unfinished].findLast((body) => body.bytes > FREE_BYTES)
      if (most === person || most.bytes <= this.#equalPart() || youngest === undefined) return true
      this.#close(youngest)
      youngest.listener.onRefused()
    }
    return true
  }

  #wake(): void {
    for (const body of this.#waiting) {
      // `#mayGoOn` may refuse other bodies and so wake this one already.
      if (!this.#mayGoOn(body) || !this.#waiting.delete(body)) continue
      body.granted = GRANT_BYTES
      this.#count(body, GRANT_BYTES)
      body.listener.onRoom()
    }
  }
}
