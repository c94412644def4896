/**
 * A text, or texts by plural category, which `count` selects. A category without a text uses `other`: French, Spanish
 * and Portuguese have a category for whole millions, which read like `other` in digits.
 */
export type Message = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>

/** The values for `{name}` in a message. */
export type MessageValues = Readonly<Record<string, string | number>>

/** The languages that the application speaks. */
export const LANGUAGES = ["en", "de", "fr", "es", "pt"] as const
export type Language = (typeof LANGUAGES)[number]

/** The languages whose texts are loaded separately from the application. */
export type OtherLanguage = Exclude<Language, "en">

/** The formats of numbers and days in a language and a locale. */
export interface Wording {
  readonly language: Language
  /** The separators of thousands and decimals that the locale uses in numbers. */
  readonly separators: { readonly thousands: string; readonly decimal: string }
  readonly number: (value: number, options?: Intl.NumberFormatOptions) => string
  /** A day, in the reader's time zone. */
  readonly day: (instant: string | Date) => string
  /** A day with the time, and with the year unless it is the current year. */
  readonly moment: (instant: string | Date) => string
  /** A calendar day such as `2026-11-30` in short form, independent of the reader's time zone. */
  readonly calendarDay: (day: string) => string
  /** A size in the usual unit: `20 MB`. */
  readonly size: (bytes: number) => string
  /**
   * An amount in major units of a currency (ISO 4217 code, upper or lower case), with the usual decimals of the
   * currency.
   */
  readonly money: (amount: number, currency: string, options?: Intl.NumberFormatOptions) => string
  readonly list: (items: ReadonlyArray<string>) => string
  readonly format: (message: Message, values?: MessageValues) => string
}

const PLACEHOLDER = /\{(\w+)\}/g
const CURRENCY = /^[a-z]{3}$/i
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const
const STEP = 1_024

/**
 * The formats of a language. `{name}` in a message is replaced by the value `name`; a number is written in the
 * language's form.
 */
export const wordingOf = (language: Language, locale: string): Wording => {
  const plural = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" })
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
  const thisYear = new Intl.DateTimeFormat(locale, {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit"
  })
  const calendarDays = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" })
  const lists = new Intl.ListFormat(language, { type: "conjunction" })
  const signOf = (type: Intl.NumberFormatPartTypes) =>
    numbers.formatToParts(12_345.6).find((part) => part.type === type)?.value ?? ""
  const number = (value: number, options?: Intl.NumberFormatOptions) =>
    options === undefined ? numbers.format(value) : new Intl.NumberFormat(locale, options).format(value)
  return {
    language,
    separators: { thousands: signOf("group"), decimal: signOf("decimal") },
    number,
    day: (instant) => days.format(new Date(instant)),
    moment: (instant) => {
      const date = new Date(instant)
      return (date.getFullYear() === new Date().getFullYear() ? thisYear : moments).format(date)
    },
    calendarDay: (day) => calendarDays.format(new Date(`${day}T00:00:00Z`)),
    size: (bytes) => {
      const step = bytes < STEP ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(STEP)))
      const value = bytes / STEP ** step
      return number(value, {
        style: "unit",
        unit: UNITS[step] ?? "byte",
        unitDisplay: step === 0 ? "long" : "short",
        maximumFractionDigits: value < 10 && step > 0 ? 1 : 0
      })
    },
    money: (amount, currency, options) =>
      CURRENCY.test(currency)
        ? number(amount, { ...options, style: "currency", currency })
        : `${number(amount)} ${currency.toUpperCase()}`,
    list: (items) => lists.format(items),
    format: (message, values = {}) => {
      const text =
        typeof message === "string" ? message : (message[plural.select(Number(values["count"] ?? 0))] ?? message.other)
      return text.replace(PLACEHOLDER, (whole, name: string) => {
        const value = values[name]
        return value === undefined ? whole : typeof value === "number" ? number(value) : value
      })
    }
  }
}
