import PostalMime from "postal-mime"

/** A mailbox, or a group of them under a name. */
export interface MailAddress {
  readonly name: string
  readonly address?: string | undefined
  readonly group?: ReadonlyArray<MailAddress> | undefined
}

export interface MailAttachment {
  readonly filename: string | null
  /** It is a part of the message's HTML, for example a picture. */
  readonly related?: boolean | undefined
  readonly content: ArrayBuffer | Uint8Array | string
}

/** A message with its decoded parts; those of messages within it are among them. */
export interface MailMessage {
  readonly from?: MailAddress | undefined
  readonly to?: ReadonlyArray<MailAddress> | undefined
  readonly cc?: ReadonlyArray<MailAddress> | undefined
  readonly subject?: string | undefined
  /** In the form of ISO 8601, or as it is written if it is no date. */
  readonly date?: string | undefined
  readonly html?: string | undefined
  readonly text?: string | undefined
  readonly attachments: ReadonlyArray<MailAttachment>
}

/** Deeper parts are refused. */
const DEEPEST = 64

/**
 * Reads a message in the MIME format. The published package has postal-mime in this file (`tooling/bundleModule.mjs`): the
 * package ships three forms of itself, in 1.2 MB.
 */
export const readMessage = (bytes: Uint8Array): Promise<MailMessage> =>
  PostalMime.parse(bytes, { maxNestingDepth: DEEPEST })
