import { useState } from "react"
import { parley } from "../../api/parley.ts"
import type { Conversation } from "../Conversation.ts"
import { useChosenModel } from "../composer/useChosenModel.ts"

/** The largest number of images in a message. */
const MOST_IMAGES = 4

export const isImage = ({ type }: Pick<File, "type">): boolean => type.startsWith("image/")

/** The text keys of the reasons why this page does not accept an image. */
type Note = "chat.image.blind" | "chat.image.tooMany" | "chat.image.unreadable"

/** The reason why an image was not accepted: a failure of the upload, or a reason of this page. */
type Refusal = { readonly error: unknown } | { readonly note: Note }

export type AddingImages = ReturnType<typeof useImages>

/** Uploads the images for the next question of a conversation. */
export const useImages = (conversation: Conversation) => {
  const [waiting, setWaiting] = useState(0)
  const [refusal, setRefusal] = useState<Refusal>()
  const isPossible = useChosenModel(conversation)?.seesImages === true
  const addOne = async (file: File) => {
    const { shrinkImage } = await import("./shrinkImage.ts")
    const small = await shrinkImage(file).catch(() => undefined)
    if (small === undefined) return setRefusal({ note: "chat.image.unreadable" })
    const { imageId } = await parley.images.upload(small)
    conversation.attachImages([...conversation.facts().imageIds, imageId])
  }
  const add = async (files: ReadonlyArray<File>) => {
    if (!isPossible) return setRefusal({ note: "chat.image.blind" })
    const room = Math.max(0, MOST_IMAGES - conversation.facts().imageIds.length - waiting)
    setRefusal(files.length > room ? { note: "chat.image.tooMany" } : undefined)
    const taken = files.slice(0, room)
    setWaiting((count) => count + taken.length)
    for (const file of taken) {
      await addOne(file).catch((error: unknown) => setRefusal({ error }))
      setWaiting((count) => count - 1)
    }
  }
  return { add, isPossible, refusal, waiting, dismiss: () => setRefusal(undefined) }
}
