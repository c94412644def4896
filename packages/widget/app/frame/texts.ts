import type { Texts } from "../../src/host/messages.ts"

/**
 * Every text of the chat that is not its bot's own, in English. A page may replace any of them by name; `lang` and
 * `dir` are the language and the direction of the replacements. `{name}` stands for the bot's name.
 */
export const ENGLISH = {
  lang: "en",
  dir: "ltr",
  launcher: "Chat with {name}",
  launcherUnread: "Chat with {name}, new reply",
  frame: "Chat with {name}",
  subtitle: "AI assistant",
  startOver: "Start a new conversation",
  close: "Close chat",
  conversation: "Conversation",
  you: "You",
  suggestions: "Suggested questions",
  field: "Your message",
  placeholder: "Ask a question…",
  send: "Send",
  stop: "Stop the reply",
  writing: "{name} is writing",
  latest: "Go to the latest message",
  sources: "Sources",
  source: "Source {number}",
  page: "page {page}",
  retry: "Try again",
  unsent: "Your message was not sent.",
  broken: "The reply broke off.",
  stopped: "You stopped this reply.",
  partial: "This reply is not complete.",
  unreachable: "The service cannot be reached. Check your connection, then try again.",
  failed: "Something went wrong on our side. Try again in a moment.",
  tooLong: "Your message is too long. Please shorten it.",
  challenge: "Please show that you are a person. Your message is sent then.",
  challengeFailed: "It could not be checked that you are a person. Check your connection, then try again.",
  limit: "No more messages can be sent for now. You can go on in {time}.",
  limitTomorrow: "No more messages can be sent today. You can go on tomorrow.",
  limitOver: "You can go on now.",
  absent: "This chat is not available any more.",
  noHistory: "Your earlier messages cannot be shown at the moment.",
  connecting: "Connecting…",
  linkTitle: "Open this link?",
  linkHint: "It leads away from this chat, to:",
  linkOpen: "Open link",
  linkCancel: "Stay here",
  linkLabel: "{text} (link)",
  image: "Image: {text}",
  disclaimer: "AI can be wrong. Check what matters."
} as const

export type TextName = keyof typeof ENGLISH

const LONGEST = 500
const isName = (name: string): name is TextName => Object.hasOwn(ENGLISH, name)

/** The chat's texts, some of them replaced. */
export class Catalogue {
  readonly #texts: Readonly<Record<TextName, string>>

  /** Takes the page's replacements: unknown names and values that are not texts are dropped. */
  constructor(replaced: Texts) {
    const texts: Record<TextName, string> = { ...ENGLISH }
    for (const [name, text] of Object.entries(replaced)) {
      if (isName(name) && typeof text === "string") texts[name] = text.slice(0, LONGEST)
    }
    this.#texts = texts
  }

  /** A text with values in place of the braces. */
  say(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
    return this.#texts[name].replace(/\{(\w+)\}/g, (whole, key: string) =>
      Object.hasOwn(values, key) ? String(values[key]) : whole
    )
  }

  get lang(): string {
    return this.#texts.lang
  }

  get dir(): string {
    return this.#texts.dir === "rtl" ? "rtl" : "ltr"
  }

  /** A duration in words, rounded up: seconds up to a minute and a half, then minutes, then hours. */
  duration(seconds: number): string {
    const [count, unit] =
      seconds <= 90
        ? [seconds, "second"]
        : seconds <= 5_400
          ? [Math.ceil(seconds / 60), "minute"]
          : [Math.ceil(seconds / 3_600), "hour"]
    const style = { style: "unit", unit, unitDisplay: "long" } as const
    try {
      return new Intl.NumberFormat(this.lang, style).format(count as number)
    } catch {
      return new Intl.NumberFormat("en", style).format(count as number)
    }
  }
}
