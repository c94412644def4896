import { Effect } from "effect"
import type { ChatImage, ChatMessage } from "../../models/ChatMessage.ts"
import { type Model, seesImages } from "../../models/Model.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { modelsOfTier } from "../../tiers/CatalogData.ts"
import type { Tier } from "../../tiers/Tier.ts"
import type { ChatRequest } from "../ChatRequest.ts"
import { InvalidChatRequest } from "../errors.ts"
import type { ConversationOwner, StoredMessage } from "../store/StoredChat.ts"
import { MAX_SEEN_BYTES, MAX_SEEN_IMAGES } from "./Image.ts"
import { ImageStore } from "./ImageStore.ts"

export interface SeeInput {
  readonly owner: ConversationOwner
  /** The chat that the reply continues or begins. */
  readonly chatId: string
  readonly model: Model
  readonly tier: Tier
  readonly stored: ReadonlyArray<StoredMessage>
  readonly said: ChatRequest["messages"]
}

/** The stored and the new messages, with the images that the model sees. */
interface Seen {
  readonly stored: ReadonlyArray<StoredMessage>
  readonly said: ReadonlyArray<ChatMessage>
}

const refuse = (path: string, message: string) =>
  new InvalidChatRequest({ issues: [{ path, message: `Expected ${message}` }] })

const imagesAt = (place: number): string => `messages[${place}].imageIds`

/**
 * Reads the images of a conversation for its model: the images of the new messages, which must belong to the person and
 * to no other chat, and the newest images of the earlier messages, within the bounds. The model sees each image once,
 * in the newest message that contains it. If the model cannot see images, a question with images is refused, and
 * earlier messages are passed on without theirs. A conversation without images causes no read.
 */
export const makeSeeImages = Effect.gen(function* () {
  const catalog = yield* Catalog
  const store = yield* ImageStore

  return Effect.fnUntraced(function* (input: SeeInput): Effect.fn.Return<Seen, InvalidChatRequest | StorageFailed> {
    const { chatId, model, owner, said, stored, tier } = input
    const place = said.findLastIndex(({ imageIds }) => imageIds !== undefined)
    if (place >= 0 && !("person" in owner)) return yield* refuse(imagesAt(place), "no images: visitors send none")
    const isAsked = place >= 0 || (said.length === 0 && stored.at(-1)?.imageIds !== undefined)
    if (isAsked && !seesImages(model)) {
      const able = modelsOfTier(catalog, tier.name).filter(seesImages)
      const names = able.map(({ id }) => id).join(", ")
      return yield* refuse("modelId", `a model that sees images${names === "" ? "" : `: ${names}`}`)
    }
    const conversation = [...stored, ...said]
    const ids = [...new Set(conversation.flatMap(({ imageIds = [] }) => imageIds).toReversed())]
    if (ids.length === 0 || !seesImages(model) || !("person" in owner)) return { stored, said }
    const asked = new Set(said.flatMap(({ imageIds = [] }) => imageIds))
    const most = Math.max(MAX_SEEN_IMAGES, asked.size)
    const read = yield* store.read(owner.person, ids.slice(0, most), MAX_SEEN_BYTES)
    const images = new Map(read.map(({ chatId: of, ...image }) => [image.id, { image, of }]))
    for (const [index, { imageIds = [] }] of said.entries()) {
      const isFree = (id: string) => {
        const found = images.get(id)
        return found !== undefined && (found.of === undefined || found.of === chatId)
      }
      if (!imageIds.every(isFree)) {
        return yield* refuse(imagesAt(index), "images of yours that no other chat has, of at most 8 MB together")
      }
    }
    const newest = new Map(conversation.flatMap((each) => (each.imageIds ?? []).map((id) => [id, each] as const)))
    const shown = (message: (typeof conversation)[number]): { images?: ReadonlyArray<ChatImage> } => {
      const of = (message.imageIds ?? []).filter((id) => newest.get(id) === message)
      const found = of.flatMap((id) => images.get(id)?.image ?? [])
      return found.length === 0 ? {} : { images: found }
    }
    return {
      stored: stored.map((each) => (each.imageIds === undefined ? each : { ...each, ...shown(each) })),
      said: said.map((each) => ({ role: each.role, content: each.content, ...shown(each) }))
    }
  })
})
