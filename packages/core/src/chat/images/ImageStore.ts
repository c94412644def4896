import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ChatImage } from "../../models/ChatMessage.ts"

/** An image with its chat. */
export interface StoredImage extends ChatImage {
  /** Undefined until a message has the image. */
  readonly chatId: string | undefined
}

/** An image that no message has is deleted after this time, in milliseconds. */
export const UNUSED_IMAGE_MS = 86_400_000

/**
 * The images of people's messages. A turn that begins (`ChatStore.beginTurn`) takes its images into its chat, with which
 * they are deleted. Every method is fenced by the owner: another person's image is treated as missing.
 */
export class ImageStore extends Context.Service<
  ImageStore,
  {
    /** Stores an image. */
    add(userId: UserId, image: ChatImage): Effect.Effect<void, StorageFailed>
    /**
     * The person's images with these ids, in this order, without those that do not exist, as long as they have at most
     * `maxBytes` together.
     */
    read(
      userId: UserId,
      imageIds: ReadonlyArray<string>,
      maxBytes: number
    ): Effect.Effect<ReadonlyArray<StoredImage>, StorageFailed>
    /** The ids of a person's images behind `after`, in their order. */
    list(
      userId: UserId,
      page: { readonly after: string | undefined; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<string>, StorageFailed>
    /**
     * Deletes images of all people that no message has had for `UNUSED_IMAGE_MS` by the storage's clock; returns their
     * number, less than `limit` if none is left. Any number of processes may call it at once.
     */
    removeUnused(limit: number): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/chat/images/ImageStore") {}
