import { type ChatImage, IMAGE_TYPES, MAX_IMAGE_BYTES } from "@parley/core/adapter"
import { ImageService } from "@parley/core/effect"
import { Effect, Stream } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { imageBody } from "../../body/fileBody.ts"
import { json, streamed } from "../../exchange/Exchange.ts"
import { choice, named, uuid, whole } from "../fields.ts"
import { uuidParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"

const ImageBody = named("UploadedImage", "A stored image.", {
  imageId: uuid("The image's id, for `imageIds` of a message."),
  mediaType: choice(IMAGE_TYPES, "The format."),
  width: whole("The width in pixels."),
  height: whole("The height in pixels.")
})

const imageRow = ({ height, id, mediaType, width }: ChatImage): typeof ImageBody.Type => ({
  imageId: id,
  mediaType,
  width,
  height
})

/** Stores an image that a later message shows. */
export const postImage = defineRoute({
  method: "POST",
  path: "/api/images",
  summary: "Stores an image for a message that is sent next",
  details:
    "The message names it in `imageIds` of POST /api/chat, and a model with `seesImages` sees it. It is deleted with its chat, or within hours after a day if no message names it.",
  access: sessionAccess,
  body: imageBody,
  largeWork: "write",
  responses: { 201: { description: "The image is stored.", schema: ImageBody } },
  errors: ["unauthorized", "invalid_image", "storage_quota", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const images = yield* ImageService
    return json(201, imageRow(yield* images.add(caller.userId, body.bytes)))
  })
})

/** The bytes of an image. */
export const getImage = defineRoute({
  method: "GET",
  path: "/api/images/{id}",
  summary: "Returns an image of one of your messages",
  access: sessionAccess,
  largeWork: "read",
  pathParameters: { id: uuidParameter("The image's id.") },
  responses: {
    200: {
      description: `The bytes, at most ${MAX_IMAGE_BYTES}, in the format in which they were uploaded.`,
      contentType: "application/octet-stream"
    }
  },
  errors: ["image_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const images = yield* ImageService
    const { bytes, mediaType } = yield* images.get(caller.userId, path.id)
    return streamed(Stream.make(bytes), {
      "content-type": mediaType,
      "content-length": String(bytes.byteLength),
      // An image never changes, but another person who uses this browser must not see it, so the browser asks each
      // time.
      "cache-control": "private, no-cache",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin"
    })
  })
})
