import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ChatImage } from "../../models/ChatMessage.ts"

/** An image with the chat to which it belongs. */
export interface StoredImage extends ChatImage {
  /** Undefined until a message contains the image. */
  readonly chatId: string | undefined
}

/** Milliseconds after which an image that no message contains is deleted. */
export const UNUSED_IMAGE_MS = 86_400_000

/**
 * Stores the images of people's messages. When a turn begins (`ChatStore.beginTurn`), its images become part of its
 * chat and are deleted with it. Every method is limited to one owner: another person's image is treated as missing.
 */
export class ImageStore extends Context.Service<
  ImageStore,
  {
    /** Stores an image. */
    add(userId: UserId, image: ChatImage): Effect.Effect<void, StorageFailed>
    /**
     * Returns the person's images with these ids, in this order, as long as they are together at most `maxBytes`; ids
     * without an image are left out.
     */
    read(
      userId: UserId,
      imageIds: ReadonlyArray<string>,
      maxBytes: number
    ): Effect.Effect<ReadonlyArray<StoredImage>, StorageFailed>
    /** Returns the ids of a person's images after the id `after`, in the order of the ids. */
    list(
      userId: UserId,
      page: { readonly after: string | undefined; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<string>, StorageFailed>
    /**
     * Deletes images of all people that have been in no message for `UNUSED_IMAGE_MS`, by the storage's clock. Returns
     * their number; fewer than `limit` means that none is left. Any number of processes may call it at once.
     */
    removeUnused(limit: number): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/chat/images/ImageStore") {}
