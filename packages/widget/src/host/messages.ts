/**
 * The `postMessage` messages between page and frame. Each side accepts messages only from the other's window and
 * origin, and only of these forms. None of them contains text of the conversation, and none can add to it.
 */

/** In each message, so that those of other programs on the page are not taken for ours. */
export const PROTOCOL = 1

/** The colours of the chat; `auto` follows the visitor's system. */
export type Theme = "auto" | "light" | "dark"

/** A side of the window. */
export type Side = "left" | "right"

/** Values of the styles of launcher and panel, each for the custom property of its name. */
export interface LauncherLook {
  readonly fill: string
  /** The legible text colour on `fill`. */
  readonly ink: string
  /** Of the panel's corners, in pixels; the launcher's are in proportion. */
  readonly radius: string
  readonly font: string
}

/** Replacements of the chat's texts, by name. */
export type Texts = Readonly<Record<string, string>>

/** An event that the frame reports. */
export type ReportedEvent = "message" | "reply" | "limit" | "error"

export type FrameMessage =
  /** The frame runs. It is sent to any embedding page, because it reveals nothing else. */
  | { readonly type: "hello" }
  /** The bot exists: the look and the name of its launcher. */
  | {
      readonly type: "ready"
      /** The language of the texts. */
      readonly lang: string
      readonly displayName: string
      /** Of the launcher, `#rrggbb`. */
      readonly primaryColor: string
      /** The legible text colour on that colour, `#rrggbb`; for earlier loaders. */
      readonly inkColor: string
      readonly look: LauncherLook
      /** The side that the bot's owner chose, if any. */
      readonly position?: Side | undefined
      /** The words beside the launcher's picture, if any. */
      readonly launcherText?: string | undefined
      readonly launcherLabel: string
      readonly unreadLabel: string
      readonly frameTitle: string
    }
  /** The bot does not exist. */
  | { readonly type: "absent" }
  /** The visitor wants it closed. */
  | { readonly type: "close" }
  | { readonly type: ReportedEvent; readonly retryAfterSeconds?: number | undefined }

/** The state of the chat that the page asks for: the response to `hello`, and sent again with every change. */
export interface HostState {
  readonly theme: Theme
  readonly texts: Texts
  readonly isOpen: boolean
  /** The address of the page; the frame sends it if the visitor asks for a person. Absent from earlier loaders. */
  readonly page?: string
  /** The public settings of the bot that a preview shows; a chat of a bot takes no notice of it. */
  readonly bot?: object
}
