/** Longest edge of an image in pixels: models reduce larger images to about this size. */
const MOST_PIXELS = 1_568
/** The largest image that the server accepts, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024
const QUALITY = 0.9

/**
 * Draws an image again as models see it: small, upright, and without the place and time that a camera stored. A PNG
 * stays a PNG if it is small enough. Rejects if the browser cannot read the image.
 */
export const shrinkImage = async (file: File): Promise<Blob> => {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, MOST_PIXELS / Math.max(image.width, image.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(image.width * scale))
  canvas.height = Math.max(1, Math.round(image.height * scale))
  const pen = canvas.getContext("2d")
  if (pen === null) throw new Error("The browser draws no images.")
  const blobOf = (type: string) =>
    new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, type, QUALITY)
    })
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  const exact = file.type === "image/png" ? await blobOf("image/png") : null
  if (exact !== null && exact.size <= MOST_BYTES) return exact
  // A white ground replaces transparent pixels, which JPEG does not have.
  pen.globalCompositeOperation = "destination-over"
  pen.fillStyle = "white"
  pen.fillRect(0, 0, canvas.width, canvas.height)
  const small = await blobOf("image/jpeg")
  if (small === null) throw new Error("The browser writes no images.")
  return small
}
