import { element } from "../element.ts"

const SCRIPT = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit"
/** Longest time for loading the script, in milliseconds. */
const PATIENCE_MS = 20_000
/** The least width in pixels into which the wide form of the challenge fits. */
const WIDE = 300

/** The functions of Cloudflare's script that are used here (see Cloudflare's reference). */
interface Turnstile {
  render(container: HTMLElement, parameters: Readonly<Record<string, unknown>>): string | null | undefined
  remove(id: string): void
}

const loaded = (): Turnstile | undefined => (globalThis as { readonly turnstile?: Turnstile }).turnstile

let loading: Promise<Turnstile> | undefined

/** Loads the script once. After a failure the next call loads it again. */
const load = (): Promise<Turnstile> =>
  (loading ??= new Promise<Turnstile>((resolve, reject) => {
    const settle = () => {
      clearTimeout(patience)
      const turnstile = loaded()
      if (turnstile !== undefined) return resolve(turnstile)
      script.remove()
      loading = undefined
      reject(new Error("The challenge cannot be loaded."))
    }
    const patience = setTimeout(settle, PATIENCE_MS)
    const script = element("script", { src: SCRIPT, async: true, load: settle, error: settle })
    document.head.append(script)
  }))

interface BoxInput {
  readonly siteKey: string
  readonly lang: string
  /** Called when the challenge is solved. The token is a proof for one request. */
  readonly onSolved: (token: string) => void
  /** Called if the challenge cannot be shown or was not solved. */
  readonly onFailed: () => void
}

/** Shows a challenge of Cloudflare Turnstile to the visitor. */
export class TurnstileBox {
  readonly element = element("div", { class: "challenge" })
  #isOver = false
  #remove = () => {}

  readonly #input: BoxInput

  constructor(input: BoxInput) {
    this.#input = input
  }

  /** Draws the challenge. Called once, when the box's element is in the page. */
  show(): void {
    const { lang, onFailed, onSolved, siteKey } = this.#input
    const isCompact = this.element.clientWidth < WIDE
    this.element.classList.toggle("compact", isCompact)
    const once = (act: () => void) => {
      if (this.#isOver) return
      this.#isOver = true
      act()
    }
    const failed = () => {
      once(onFailed)
      // Tells the script that the failure is handled.
      return true
    }
    const render = (turnstile: Turnstile) => {
      if (this.#isOver) return
      const id = turnstile.render(this.element, {
        sitekey: siteKey,
        language: lang,
        theme: document.documentElement.dataset["theme"] ?? "auto",
        size: isCompact ? "compact" : "flexible",
        retry: "never",
        callback: (token: string) => once(() => onSolved(token)),
        "error-callback": failed,
        "unsupported-callback": failed
      })
      if (typeof id === "string") this.#remove = () => turnstile.remove(id)
      else failed()
    }
    load().then(render).catch(failed)
  }

  dispose(): void {
    this.#isOver = true
    this.#remove()
    this.element.remove()
  }
}
