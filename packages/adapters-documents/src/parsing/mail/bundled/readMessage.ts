import PostalMime from "postal-mime"

/** The address of one mailbox, or a named group of mailboxes. */
export interface MailAddress {
  readonly name: string
  readonly address?: string | undefined
  readonly group?: ReadonlyArray<MailAddress> | undefined
}

export interface MailAttachment {
  readonly filename: string | null
  /** True if the attachment is part of the message's HTML, for example a picture. */
  readonly related?: boolean | undefined
  readonly content: ArrayBuffer | Uint8Array | string
}

/** A message with its decoded parts, including the parts of messages that it contains. */
export interface MailMessage {
  readonly from?: MailAddress | undefined
  readonly to?: ReadonlyArray<MailAddress> | undefined
  readonly cc?: ReadonlyArray<MailAddress> | undefined
  readonly subject?: string | undefined
  /** The date in ISO 8601 form; if it is no valid date, as it is written in the message. */
  readonly date?: string | undefined
  readonly html?: string | undefined
  readonly text?: string | undefined
  readonly attachments: ReadonlyArray<MailAttachment>
}

/** The deepest nesting of parts; a message with deeper parts is refused. */
const DEEPEST = 64

/**
 * Reads a message in MIME format. In the published package, `tooling/bundleModule.mjs` replaces this import by the code
 * of postal-mime, because that package ships three builds of itself, 1.2 MB in all.
 */
export const readMessage = (bytes: Uint8Array): Promise<MailMessage> =>
  PostalMime.parse(bytes, { maxNestingDepth: DEEPEST })
