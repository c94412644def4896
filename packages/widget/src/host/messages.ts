/**
 * The `postMessage` messages between the page and the frame. Each side accepts messages only from the other's window
 * and origin, and only in these forms. No message contains text of the conversation, and none can add text to it.
 */

/** The protocol's version, in each message, so that messages of other programs on the page are ignored. */
export const PROTOCOL = 1

/** The colours of the chat; `auto` follows the visitor's system. */
export type Theme = "auto" | "light" | "dark"

/** A side of the window. */
export type Side = "left" | "right"

/** The CSS values of launcher and panel, each for the custom property of the same name. */
export interface LauncherLook {
  readonly fill: string
  /** The legible text colour on `fill`. */
  readonly ink: string
  /** The radius of the panel's corners in pixels; the launcher's radius is in proportion. */
  readonly radius: string
  readonly font: string
}

/** Replacements of the chat's texts, by the names of the texts. */
export type Texts = Readonly<Record<string, string>>

/** An event that the frame reports to the page. */
export type ReportedEvent = "message" | "reply" | "limit" | "error"

export type FrameMessage =
  /** The frame runs. This is sent to any embedding page, because it reveals nothing else. */
  | { readonly type: "hello" }
  /** The bot exists; contains the look and the texts of its launcher. */
  | {
      readonly type: "ready"
      /** The language of the texts. */
      readonly lang: string
      readonly displayName: string
      /** The launcher's colour, `#rrggbb`. */
      readonly primaryColor: string
      /** The legible text colour on `primaryColor`, `#rrggbb`; only earlier loaders read it. */
      readonly inkColor: string
      readonly look: LauncherLook
      /** The side of the window that the bot's owner chose, if any. */
      readonly position?: Side | undefined
      /** The words beside the launcher's icon, if any. */
      readonly launcherText?: string | undefined
      readonly launcherLabel: string
      readonly unreadLabel: string
      readonly frameTitle: string
    }
  /** The bot does not exist. */
  | { readonly type: "absent" }
  /** The visitor wants to close the chat. */
  | { readonly type: "close" }
  | { readonly type: ReportedEvent; readonly retryAfterSeconds?: number | undefined }

/**
 * The state of the chat that the page requests. The page sends it as the response to `hello`, and again after every
 * change.
 */
export interface HostState {
  readonly theme: Theme
  readonly texts: Texts
  readonly isOpen: boolean
  /**
   * The address of the page, which the frame sends on if the visitor asks for a person. Earlier loaders do not send it.
   */
  readonly page?: string
  /** The public settings of the bot that a preview shows. Only previews read them. */
  readonly bot?: object
}
