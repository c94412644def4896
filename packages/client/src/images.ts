import type { UploadedImage } from "./api.ts"
import type { CallOptions, Connection } from "./Connection.ts"

export interface ImageCalls {
  /** Stores a PNG, JPEG, WebP or GIF image of at most 2 MB, which the next message can name. */
  upload(image: Blob, options?: CallOptions): Promise<UploadedImage>
  /** Returns the address of an image in the person's messages. */
  url(imageId: string): string
}

export const imageCalls = (connection: Connection): ImageCalls => ({
  upload: (image, options) => {
    const form = new FormData()
    form.append("file", image, (image as { readonly name?: string }).name ?? "image")
    return connection.call("uploadImage", { body: form } as object, options)
  },
  url: (imageId) => connection.urlOf("getImage", { path: { id: imageId } })
})
