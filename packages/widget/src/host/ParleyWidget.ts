import type { Texts, Theme } from "./messages.ts"

/** Which bot is shown, and how its launcher behaves. */
export interface WidgetOptions {
  /** Where Parley is served, such as `https://chat.example.com`; with the path under which it is mounted, if any. */
  readonly baseUrl: string
  /** Of the bot, `pk_...`. */
  readonly publicKey: string
  /** The side of the window; right unless given, left in a page that is written from right to left. */
  readonly position?: "left" | "right" | undefined
  /** What the visitor's system prefers, unless given. */
  readonly theme?: Theme | undefined
  /** False where the page has a button of its own that calls `open`. */
  readonly launcher?: boolean | undefined
  /** Replacements of texts; README.md lists their names. */
  readonly texts?: Texts | undefined
}

/** What a widget tells. No event says what visitor or bot wrote: that stays in the frame. */
export interface WidgetEvents {
  /** The bot is there; the launcher has appeared. */
  readonly ready: { readonly publicKey: string; readonly displayName: string; readonly primaryColor: string }
  readonly open: { readonly publicKey: string }
  readonly close: { readonly publicKey: string }
  /** The visitor has sent a message. */
  readonly message: { readonly publicKey: string }
  /** A reply is complete. */
  readonly reply: { readonly publicKey: string }
  /** A message was refused because of a limit. */
  readonly limit: { readonly publicKey: string; readonly retryAfterSeconds: number | undefined }
  /** A message was not sent, or its reply broke off. */
  readonly error: { readonly publicKey: string }
}

export type WidgetEvent = keyof WidgetEvents

/** One bot on a page. */
export interface ParleyWidget {
  readonly publicKey: string
  readonly isOpen: boolean
  /** Opens the chat, as soon as it is there. */
  open(): void
  /** Closes it; the focus goes back to where it was before. */
  close(): void
  toggle(): void
  /** Calls `listener` for each such event from now on, and for `ready` also where it was before; gives what ends that. */
  on<E extends WidgetEvent>(event: E, listener: (detail: WidgetEvents[E]) => void): () => void
  /** Replaces texts, beside those replaced before. */
  setTexts(texts: Texts): void
  setTheme(theme: Theme): void
  /** Takes everything of it out of the page. */
  remove(): void
}
