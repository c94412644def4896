import { type FrameMessage, type HostState, PROTOCOL } from "../../src/host/messages.ts"
import { THEMES } from "./api/BotConfig.ts"

/** Parses a state that the embedding page sent; undefined if it has another form. */
const stateOf = (data: unknown): HostState | undefined => {
  if (typeof data !== "object" || data === null) return undefined
  const { bot, isOpen, page, parley, texts, ...others } = data as Record<string, unknown>
  const theme = THEMES.find((each) => each === others["theme"])
  if (parley !== PROTOCOL || typeof isOpen !== "boolean" || typeof texts !== "object" || texts === null)
    return undefined
  if (theme === undefined) return undefined
  return {
    isOpen,
    texts: texts as HostState["texts"],
    theme,
    ...(typeof page === "string" ? { page } : {}),
    ...(typeof bot === "object" && bot !== null ? { bot } : {})
  }
}

/**
 * The page that embeds the chat. It receives only "the frame runs" until it has sent the state that the chat should
 * have. From then on, the frame exchanges messages only with that page and its origin.
 */
export class HostPage {
  #origin: string | undefined
  readonly #page: Window | undefined = window.parent === window ? undefined : window.parent

  /** Calls `apply` with each state that the page sends. */
  constructor(apply: (state: HostState) => void) {
    addEventListener("message", ({ data, origin, source }) => {
      if (this.#page === undefined || source !== this.#page) return
      if (this.#origin !== undefined && this.#origin !== origin) return
      const state = stateOf(data)
      if (state === undefined) return
      this.#origin = origin
      apply(state)
    })
  }

  /** True if the page has sent a state, so that it opens and closes the chat. */
  get isConnected(): boolean {
    return this.#origin !== undefined
  }

  greet(): void {
    this.#post({ type: "hello" }, "*")
  }

  tell(message: Exclude<FrameMessage, { readonly type: "hello" }>): void {
    // A page in a local file has the origin "null", to which no message can be addressed.
    if (this.#origin !== undefined) this.#post(message, this.#origin === "null" ? "*" : this.#origin)
  }

  #post(message: FrameMessage, origin: string): void {
    this.#page?.postMessage({ parley: PROTOCOL, ...message }, origin)
  }
}
