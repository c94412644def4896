import type { Installation } from "../installation/Installation.ts"
import type { Outcomes } from "../Outcomes.ts"
import { type Answer, send, type Sent } from "./send.ts"
import { digestOf, type Spool } from "../Spool.ts"

const STEADY_PEOPLE = 40
/** One of this many people is new to the installation. */
const FRESH_EVERY = 10

/** Returns a random whole number from 0 to `end` - 1. */
export const below = (end: number): number => Math.floor(Math.random() * end)

/** Sends the requests of all acts to the servers, and records the answers. */
export class Scene {
  readonly installation: Installation
  readonly outcomes: Outcomes
  readonly spool: Spool
  /** The session cookies of the people who come back. */
  readonly #cookies = new Map<string, string>()
  #number = 0

  constructor(installation: Installation, outcomes: Outcomes, spool: Spool) {
    this.installation = installation
    this.outcomes = outcomes
    this.spool = spool
  }

  /** Returns a number that no other act gets. */
  number(): number {
    this.#number += 1
    return this.#number
  }

  /** Returns a person: mostly one of those who come back, sometimes a new one. */
  person(): string {
    return below(FRESH_EVERY) === 0 ? `fresh-${this.number()}` : this.steadyPerson()
  }

  steadyPerson(): string {
    return `person-${below(STEADY_PEOPLE)}`
  }

  /** Returns the address of a random server. */
  server(): string {
    return this.installation.urls[below(this.installation.urls.length)] ?? ""
  }

  /** Sends a request of a person: to a random server if `path` is a path, otherwise to the address `path`. */
  ask(user: string, path: string, more: Omit<Sent, "url"> = {}): Promise<Answer> {
    const url = path.startsWith("/") ? this.server() + path : path
    return send({ ...more, url, headers: { cookie: this.#cookieOf(user), ...more.headers } })
  }

  #cookieOf(user: string): string {
    const cookie = this.#cookies.get(user) ?? this.installation.cookieOf(user)
    if (!user.startsWith("fresh")) this.#cookies.set(user, cookie)
    return cookie
  }

  /** Records the reply in an answer: the part that its reader received must be stored. */
  keepReply(user: string, { end, headers, text }: Answer): void {
    const message = headers["x-message-id"]
    if (typeof message !== "string") return
    this.spool.add({
      ...{ kind: "reply", user, message, isWhole: end === "whole" },
      ...{ length: text.length, digest: digestOf(text) }
    })
  }
}
