/** A picture with four bytes for each pixel: red, green, blue and opacity. */
export interface DecodedPicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** A picture with one byte for each pixel, from black to white. */
export interface Grey {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** A picture with more pixels is reduced: a page has only 9 million pixels at 300 dots per inch. */
const ENOUGH_PIXELS = 16_000_000

/** Returns the brightness of a pixel on white paper (ITU-R BT.601), in 255,000ths. */
const brightness = (data: Uint8ClampedArray, at: number): number => {
  const light = 299 * data[at]! + 587 * data[at + 1]! + 114 * data[at + 2]!
  return (light * data[at + 3]!) / 255 + 1_000 * (255 - data[at + 3]!)
}

/**
 * Returns a picture in grey on a white background. A very large picture is reduced: each pixel is then the mean of a
 * square of pixels.
 */
export const greyPicture = ({ data, height, width }: DecodedPicture): Grey => {
  const side = Math.min(width, height, Math.ceil(Math.sqrt((width * height) / ENOUGH_PIXELS)))
  const small = { width: Math.floor(width / side), height: Math.floor(height / side) }
  const grey = new Uint8Array(small.width * small.height)
  let place = 0
  for (let y = 0; y < small.height; y++) {
    for (let x = 0; x < small.width; x++) {
      let sum = 0
      for (let row = y * side; row < (y + 1) * side; row++) {
        const first = (row * width + x * side) * 4
        for (let at = first; at < first + side * 4; at += 4) sum += brightness(data, at)
      }
      grey[place++] = sum / (side * side * 1_000)
    }
  }
  return { ...small, data: grey }
}
