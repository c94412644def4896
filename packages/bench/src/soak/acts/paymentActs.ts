import { setTimeout as sleep } from "node:timers/promises"
import { PACK, WEBHOOK_SECRET } from "../installation/Installation.ts"
import { below, type Scene } from "./Scene.ts"
import { type Answer, send } from "./send.ts"

/**
 * The milliseconds after which the payment provider delivers an event again, and the number of deliveries after which
 * it gives up.
 */
const RETRY_MS = 2_000
const TRIES = 60
const DELIVERIES_MOST = 3

/**
 * The acts of people who buy credits, and the deliveries of payment events, many of which arrive two or three times.
 */
export class PaymentActs {
  readonly #scene: Scene
  #running = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** Opens a checkout page, pays there, and delivers each event until a server accepts it. */
  async buy(): Promise<void> {
    this.#running += 1
    try {
      await this.#buy()
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#forget()
    }
  }

  async #buy(): Promise<void> {
    const body = { priceId: PACK, mode: "one-time" }
    const opened = await this.#scene.ask(this.#scene.steadyPerson(), "/api/billing/checkout", { body })
    const session = /cs_\w+/.exec(opened.text)?.[0]
    if (!this.#scene.outcomes.count("checkout", opened, opened.status === 200) || session === undefined) return
    const { payments } = this.#scene.installation
    const before = payments.events.length
    payments.pay(session)
    const events = payments.events.slice(before)
    const taken = await Promise.all(events.map((event) => this.#deliver(event.text)))
    if (taken.every(Boolean)) this.#scene.spool.add({ kind: "payment", session, events: events.map(({ id }) => id) })
  }

  /** Delivers an event once or several times, possibly at the same moment; returns true if a server accepted it. */
  async #deliver(text: string): Promise<boolean> {
    const from = Date.now()
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answers = await Promise.all(Array.from({ length: 1 + below(DELIVERIES_MOST) }, () => this.#post(text)))
      if (answers.every((answer) => this.#scene.outcomes.count("webhook", answer, answer.status === 200))) return true
      await sleep(RETRY_MS)
    }
    this.#scene.outcomes.fail("a webhook was never taken", from)
    return false
  }

  #post(text: string): Promise<Answer> {
    const signature = this.#scene.installation.payments.sign(text, WEBHOOK_SECRET, Date.now())
    const url = `${this.#scene.server()}/api/webhooks/payment`
    return send({ url, body: text, headers: { "stripe-signature": signature } })
  }

  /** Deletes the records of the payment provider, so that the memory of this program does not grow. */
  #forget(): void {
    const state = this.#scene.installation.paymentState
    for (const records of [state.invoices, state.keys, state.payments, state.sessions]) {
      for (const id of Object.keys(records)) delete records[id]
    }
    state.events = []
  }
}
