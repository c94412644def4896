import type { PersonState, PersonTalk } from "../conversation/PersonTalk.ts"
import { element } from "../element.ts"
import type { Catalogue, TextName } from "../languages/Catalogue.ts"
import type { Announcer } from "./Announcer.ts"
import { TurnstileBox } from "./TurnstileBox.ts"

interface PersonNoticeInput {
  readonly texts: Catalogue
  readonly announcer: Announcer
  readonly person: PersonTalk
  /** The name that visitors see of the people who answer, if the bot has one. */
  readonly name: string | undefined
}

/**
 * Shows the state of a hand-over in one line, offers a person if the bot cannot answer, and asks for the visitor's
 * e-mail address.
 */
export class PersonNotice {
  readonly element: HTMLElement
  /** The button with which the visitor can ask for a person at any time. */
  readonly button: HTMLButtonElement
  readonly #input: PersonNoticeInput
  readonly #words = element("p")
  readonly #offer: HTMLButtonElement
  readonly #form: HTMLFormElement
  readonly #field: HTMLInputElement
  #announced = ""
  #challenge: TurnstileBox | undefined

  constructor(input: PersonNoticeInput) {
    const { person, texts } = input
    this.#input = input
    const ask = () => void person.ask()
    this.button = element("button", { type: "button", class: "person", click: ask }, texts.say("person"))
    this.#offer = element("button", { type: "button", class: "retry", click: ask }, texts.say("person"))
    this.#field = element("input", {
      type: "email",
      required: true,
      maxlength: 254,
      autocomplete: "email",
      dir: "auto",
      "aria-label": texts.say("personEmail"),
      placeholder: texts.say("personEmail")
    })
    this.#form = element(
      "form",
      {
        class: "email",
        submit: (event: SubmitEvent) => {
          event.preventDefault()
          void person.ask({ email: this.#field.value })
        }
      },
      this.#field,
      element("button", { class: "retry" }, texts.say("personEmailSend"))
    )
    this.element = element("div", { class: "handover", hidden: true }, this.#words, this.#offer, this.#form)
  }

  /**
   * Updates the notice. `cannotAnswer` is true if the bot has declined, or if an obstacle prevents the visitor from
   * sending.
   */
  show(cannotAnswer: boolean): void {
    const { announcer, person } = this.#input
    const { shown } = person
    const isOffered = !person.isActive && cannotAnswer && shown.refusal === undefined
    const words = isOffered ? this.#input.texts.say("personOffer") : this.#wordsOf(shown)
    this.element.hidden = words === ""
    this.#words.textContent = words
    this.#offer.hidden = !isOffered
    this.#form.hidden = !person.isActive || shown.hasEmail
    this.button.hidden = person.isActive || isOffered
    this.button.disabled = this.#offer.disabled = shown.isAsking
    if (words !== this.#announced && words !== "") announcer.say(words)
    this.#announced = words
    this.#showChallenge(shown)
  }

  dispose(): void {
    this.#challenge?.dispose()
  }

  #wordsOf({ hasEmail, name, opensAt, refusal, state }: PersonState): string {
    const { texts } = this.#input
    if (refusal !== undefined) return texts.say(refusalText(refusal.kind))
    const person = name || this.#input.name || texts.say("aPerson")
    if (state === "open") return texts.say("personOpen", { person })
    if (state === "solved") return texts.say("personSolved")
    if (state === "bot") return ""
    if (opensAt !== undefined)
      return texts.say(hasEmail ? "personAwayMail" : "personAway", { time: texts.moment(opensAt) })
    return texts.say(hasEmail ? "personWaitsMail" : "personWaits")
  }

  #showChallenge({ refusal }: PersonState): void {
    if (refusal?.kind !== "challenge") {
      this.#challenge?.dispose()
      this.#challenge?.element.remove()
      this.#challenge = undefined
      return
    }
    if (this.#challenge !== undefined) return
    const { person, texts } = this.#input
    const onSolved = (challengeToken: string) => void person.ask({ challengeToken })
    this.#challenge = new TurnstileBox({ siteKey: refusal.siteKey, lang: texts.lang, onSolved, onFailed: () => {} })
    this.element.append(this.#challenge.element)
    this.#challenge.show()
  }
}

const refusalText = (kind: string): TextName =>
  kind === "challenge" ? "challenge" : kind === "unreachable" ? "unreachable" : "personFailed"
