import type { Texts as Replacements } from "../../../src/host/messages.ts"
import type { texts as english } from "./en.ts"

export type TextName = keyof typeof english

/** All texts of the chat in one language, except those of the bot. */
export type Texts = Readonly<Record<TextName, string>>

const LONGEST = 500

/**
 * The texts of the chat in one language, some of them replaced by the embedding page. `lang` and `dir` can be replaced,
 * too, and then describe the replacements.
 */
export class Catalogue {
  readonly #texts: Texts

  /** Takes the page's replacements. Unknown names, and values that are no texts, are ignored. */
  constructor(texts: Texts, replaced: Replacements) {
    const names = Object.keys(replaced).filter(
      (name) => Object.hasOwn(texts, name) && typeof replaced[name] === "string"
    )
    this.#texts = { ...texts, ...Object.fromEntries(names.map((name) => [name, replaced[name]?.slice(0, LONGEST)])) }
  }

  /** Returns a text with values in the place of its `{names}`. */
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

  /** A time, for people: the weekday and the time of day. */
  moment(iso: string): string {
    const style = { weekday: "long", hour: "2-digit", minute: "2-digit", numberingSystem: "latn" } as const
    try {
      return new Intl.DateTimeFormat(this.lang, style).format(new Date(iso))
    } catch {
      return iso
    }
  }

  /** A duration, for people, rounded up: in seconds up to a minute and a half, then in minutes, then in hours. */
  duration(seconds: number): string {
    const [count, unit] =
      seconds <= 90
        ? [seconds, "second"]
        : seconds <= 5_400
          ? [Math.ceil(seconds / 60), "minute"]
          : [Math.ceil(seconds / 3_600), "hour"]
    const style = { style: "unit", unit, unitDisplay: "long", numberingSystem: "latn" } as const
    try {
      return new Intl.NumberFormat(this.lang, style).format(count as number)
    } catch {
      return new Intl.NumberFormat("en", style).format(count as number)
    }
  }
}
