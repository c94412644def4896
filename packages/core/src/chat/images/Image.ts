import { Schema } from "effect"

/** The maximum size of an image, in bytes. */
export const MAX_IMAGE_BYTES = 2 * 1024 * 1024
/**
 * The maximum length of an edge in pixels: vendors refuse longer edges (Anthropic, "Vision": 8,000 by 8,000 pixels).
 */
export const MAX_IMAGE_EDGE = 8_000
/** The maximum number of images in one message. */
export const MAX_MESSAGE_IMAGES = 4
/** A model sees at most this number of the newest images of a conversation, together at most `MAX_SEEN_BYTES` bytes. */
export const MAX_SEEN_IMAGES = 8
export const MAX_SEEN_BYTES = MAX_MESSAGE_IMAGES * MAX_IMAGE_BYTES

/** The image is invalid and was not stored. */
export class InvalidImage extends Schema.TaggedError<InvalidImage>()("InvalidImage", { detail: Schema.String }) {
  readonly code = "invalid_image"
  override get message() {
    return this.detail
  }
}

/** The person has no image with this id. */
export class ImageNotFound extends Schema.TaggedError<ImageNotFound>()("ImageNotFound", { imageId: Schema.String }) {
  readonly code = "image_not_found"
  override get message() {
    return "There is no such image; it is deleted with its chat, or a day after its upload if no message has it."
  }
}
