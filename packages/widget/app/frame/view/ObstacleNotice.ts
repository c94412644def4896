import type { Obstacle } from "../conversation/Conversation.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"
import type { Catalogue } from "../languages/Catalogue.ts"
import type { Announcer } from "./Announcer.ts"
import { TurnstileBox } from "./TurnstileBox.ts"

interface NoticeInput {
  readonly texts: Catalogue
  readonly announcer: Announcer
  /** Sends the message again, with the challenge's token if a challenge was solved. */
  readonly onRetry: (challengeToken?: string) => void
  readonly onChallengeFailed: () => void
  /** Called when the wait for a limit is over. */
  readonly onLimitOver: () => void
}

/** Obstacles that a retry does not remove. */
const WITHOUT_RETRY: ReadonlyArray<Obstacle["kind"]> = ["absent", "challenge", "limit", "tooLong"]

const SECOND_MS = 1_000
/** Waits below this number of seconds are shown as a duration, even if they end after midnight. */
const SOON_SECONDS = 5_400

/** Shows the obstacle, and a button for another try if that may help. */
export class ObstacleNotice {
  readonly element = element("div", { class: "obstacle", hidden: true })
  readonly #input: NoticeInput
  readonly #words = element("p")
  readonly #retry: HTMLButtonElement
  #shown: Obstacle | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #challenge: TurnstileBox | undefined

  constructor(input: NoticeInput) {
    this.#input = input
    const retry = { type: "button", class: "retry", click: () => input.onRetry() }
    this.#retry = element("button", retry, icon("retry"), input.texts.say("retry"))
    this.element.append(this.#words, this.#retry)
  }

  show(obstacle: Obstacle | undefined, hasUnsent: boolean): void {
    if (obstacle === this.#shown) {
      if (obstacle === undefined) this.#showUnsent(hasUnsent)
      return
    }
    this.dispose()
    this.#shown = obstacle
    if (obstacle === undefined) return this.#showUnsent(hasUnsent)
    this.element.hidden = false
    this.#retry.hidden = WITHOUT_RETRY.includes(obstacle.kind)
    if (obstacle.kind === "limit") {
      this.#timer = setInterval(() => this.#count(obstacle.until), SECOND_MS)
      this.#count(obstacle.until)
    } else this.#words.textContent = this.#input.texts.say(obstacle.kind)
    this.#input.announcer.say(this.#words.textContent ?? "")
    if (obstacle.kind === "challenge") this.#showChallenge(obstacle.siteKey)
  }

  dispose(): void {
    clearInterval(this.#timer)
    this.#challenge?.dispose()
    this.#challenge = undefined
  }

  #showChallenge(siteKey: string): void {
    const { onChallengeFailed: onFailed, onRetry: onSolved, texts } = this.#input
    this.#challenge = new TurnstileBox({ siteKey, lang: texts.lang, onSolved, onFailed })
    this.element.append(this.#challenge.element)
    this.#challenge.show()
  }

  /** Shows a message that was not sent and can be sent again without an obstacle. */
  #showUnsent(hasUnsent: boolean): void {
    this.element.hidden = !hasUnsent
    this.#retry.hidden = !hasUnsent
    if (hasUnsent) this.#words.textContent = this.#input.texts.say("limitOver")
  }

  #count(until: number): void {
    const { onLimitOver, texts } = this.#input
    const seconds = Math.ceil((until - Date.now()) / SECOND_MS)
    if (seconds > 0) {
      const isTomorrow = seconds > SOON_SECONDS && new Date(until).getDate() !== new Date().getDate()
      this.#words.textContent = isTomorrow
        ? texts.say("limitTomorrow")
        : texts.say("limit", { time: texts.duration(seconds) })
      return
    }
    clearInterval(this.#timer)
    onLimitOver()
  }
}
