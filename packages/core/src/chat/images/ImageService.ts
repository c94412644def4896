import { Context, Effect, Layer, Result, Schema } from "effect"
import { Accounts } from "../../credits/Accounts.ts"
import type { SessionInvalid } from "../../identity/SessionVerifier.ts"
import { UserId } from "../../identity/UserId.ts"
import type { ChatImage } from "../../models/ChatMessage.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import { Id, inputsOf } from "../../storage/inputs.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { tierOf } from "../../tiers/CatalogData.ts"
import type { StorageQuotaExceeded } from "../errors.ts"
import { ChatQuota } from "../limits/chatLimits.ts"
import { ImageNotFound, InvalidImage, MAX_IMAGE_BYTES, MAX_IMAGE_EDGE } from "./Image.ts"
import { imageHeader, type ImageHeader } from "./imageHeader.ts"
import { ImageStore } from "./ImageStore.ts"

const MAX_MIB = MAX_IMAGE_BYTES / (1024 * 1024)

const checkedHeader = (bytes: Uint8Array): Result.Result<ImageHeader, InvalidImage> => {
  const refuse = (detail: string) => Result.fail(new InvalidImage({ detail }))
  if (bytes.byteLength > MAX_IMAGE_BYTES) {
    return refuse(
      `The image has more than ${MAX_MIB} MB. Make it smaller: models see at most about 1,500 pixels an edge.`
    )
  }
  const header = imageHeader(bytes)
  if (header === undefined) return refuse("This is no PNG, JPEG, WebP or GIF image that can be read.")
  const edge = Math.max(header.width, header.height)
  if (edge <= MAX_IMAGE_EDGE) return Result.succeed(header)
  return refuse(`The image is ${edge} pixels long. Make it smaller: at most ${MAX_IMAGE_EDGE} pixels an edge.`)
}

/** Stores and returns images for people's messages. An image is uploaded before the message that contains its id. */
export class ImageService extends Context.Service<
  ImageService,
  {
    /**
     * Stores an image (PNG, JPEG, WebP or GIF) of at most 2 MiB and 8,000 pixels an edge; a message of the same person
     * can then contain its id. The image counts towards the bytes of the person's chats.
     */
    add(
      userId: UserId,
      bytes: Uint8Array
    ): Effect.Effect<ChatImage, InvalidImage | StorageQuotaExceeded | SessionInvalid | StorageFailed>
    /** Returns one of a person's images. */
    get(userId: UserId, imageId: string): Effect.Effect<ChatImage, ImageNotFound | StorageFailed>
  }
>()("@parley/core/chat/images/ImageService") {
  static readonly inputs = inputsOf<ImageService["Service"]>()({
    add: [{ userId: UserId }, { bytes: Schema.instanceOf(Uint8Array, { expected: "a Uint8Array" }) }],
    get: [{ userId: UserId }, { imageId: Id }]
  })
  static readonly layer = Layer.effect(
    ImageService,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const catalog = yield* Catalog
      const ids = yield* IdGenerator
      const quota = yield* ChatQuota
      const store = yield* ImageStore
      return ImageService.of({
        add: Effect.fn("ImageService.add")(function* (userId, bytes) {
          const header = yield* Effect.fromResult(checkedHeader(bytes))
          const { tier } = yield* accounts.of(userId)
          yield* quota.check({ owner: { person: userId }, tier: tierOf(catalog, tier), bytes: bytes.byteLength })
          const image: ChatImage = { id: yield* ids.next, ...header, bytes }
          yield* store.add(userId, image)
          return image
        }),
        get: Effect.fn("ImageService.get")(function* (userId, imageId) {
          const [image] = yield* store.read(userId, [imageId], MAX_IMAGE_BYTES)
          if (image === undefined) return yield* new ImageNotFound({ imageId })
          const { chatId: _chat, ...found } = image
          return found
        })
      })
    })
  )
}
