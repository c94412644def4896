/** The author of a message. */
export const ROLES = ["user", "assistant", "system"] as const
export type Role = (typeof ROLES)[number]

/** The formats of images that models of all vendors accept. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** An image of a message. */
export interface ChatImage {
  readonly id: string
  readonly mediaType: ImageType
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** A message for a model: its role, its text, and the images that its author added. */
export interface ChatMessage {
  readonly role: Role
  readonly content: string
  /** The images of a message by a person; absent if there are none. */
  readonly images?: ReadonlyArray<ChatImage>
}
