import type { Texts, Theme } from "./messages.ts"

/** The bot to show, and the behaviour of its launcher. */
export interface WidgetOptions {
  /** The address of Parley, for example `https://chat.example.com`, with its mount path, if any. */
  readonly baseUrl: string
  /** Of the bot, `pk_...`. */
  readonly publicKey: string
  /**
   * The language of the texts (BCP 47). If it is missing, or the chat does not have it: that of `<html lang>`, otherwise
   * the browser's, otherwise English.
   */
  readonly lang?: string | undefined
  /** The side of the window. Default: the bot's setting, otherwise right, or left in a right-to-left page. */
  readonly position?: "left" | "right" | undefined
  /** Default: the bot's setting, otherwise the preference of the visitor's system. */
  readonly theme?: Theme | undefined
  /** False if the page has a button of its own that calls `open`. */
  readonly launcher?: boolean | undefined
  /** Replacements of texts; README.md lists their names. */
  readonly texts?: Texts | undefined
}

/** The events of a widget. No event contains text of visitor or bot, which stays in the frame. */
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
  /** Closes it and restores the previous focus. */
  close(): void
  toggle(): void
  /** Calls `listener` for each event from now on, and for a past `ready` too; returns a function that stops this. */
  on<E extends WidgetEvent>(event: E, listener: (detail: WidgetEvents[E]) => void): () => void
  /** Replaces texts, in addition to those replaced before. */
  setTexts(texts: Texts): void
  setTheme(theme: Theme): void
  /** Takes everything of it out of the page. */
  remove(): void
}
