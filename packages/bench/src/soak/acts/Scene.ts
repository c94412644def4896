import type { Installation } from "../installation/Installation.ts"
import type { Outcomes } from "../Outcomes.ts"
import { type Answer, send, type Sent } from "./send.ts"
import { digestOf, type Spool } from "../Spool.ts"

const STEADY_PEOPLE = 40
/** One person in this many has never been there before. */
const FRESH_EVERY = 10

/** A whole number from 0 below `end`. */
export const below = (end: number): number => Math.floor(Math.random() * end)

/** The ways of the acts to the servers, and the notes of the answers. */
export class Scene {
  readonly installation: Installation
  readonly outcomes: Outcomes
  readonly spool: Spool
  /** The sessions of the steady people. */
  readonly #cookies = new Map<string, string>()
  #number = 0

  constructor(installation: Installation, outcomes: Outcomes, spool: Spool) {
    this.installation = installation
    this.outcomes = outcomes
    this.spool = spool
  }

  /** A number that no other act has. */
  number(): number {
    this.#number += 1
    return this.#number
  }

  /** A person: mostly one of those who come again and again. */
  person(): string {
    return below(FRESH_EVERY) === 0 ? `fresh-${this.number()}` : this.steadyPerson()
  }

  steadyPerson(): string {
    return `person-${below(STEADY_PEOPLE)}`
  }

  /** The address of one of the servers. */
  server(): string {
    return this.installation.urls[below(this.installation.urls.length)] ?? ""
  }

  /** Sends a request of a person, to any server unless the path is an address. */
  ask(user: string, path: string, more: Omit<Sent, "url"> = {}): Promise<Answer> {
    const url = path.startsWith("/") ? this.server() + path : path
    return send({ ...more, url, headers: { cookie: this.#cookieOf(user), ...more.headers } })
  }

  #cookieOf(user: string): string {
    const cookie = this.#cookies.get(user) ?? this.installation.cookieOf(user)
    if (!user.startsWith("fresh")) this.#cookies.set(user, cookie)
    return cookie
  }

  /** Notes the reply in an answer: it has to be stored as far as its reader received it. */
  keepReply(user: string, { end, headers, text }: Answer): void {
    const message = headers["x-message-id"]
    if (typeof message !== "string") return
    this.spool.add({
      ...{ kind: "reply", user, message, isWhole: end === "whole" },
      ...{ length: text.length, digest: digestOf(text) }
    })
  }
}
