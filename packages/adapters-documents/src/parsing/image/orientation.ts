import type { Grey } from "./greyPicture.ts"
import { APP1, jpegSegments } from "./pictureSize.ts"

const EXIF = "Exif\0\0"
const ORIENTATION = 0x0112
const ENTRY_BYTES = 12

/**
 * Returns the orientation that the directory of a TIFF header states (Exif 2.32, 4.6.2 and 4.6.4); undefined if there
 * is none.
 */
const orientationIn = (tiff: Buffer): number | undefined => {
  if (tiff.length < 8) return undefined
  const isLittle = tiff.toString("latin1", 0, 2) === "II"
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return undefined
  const last = Math.min(directory + 2 + short(directory) * ENTRY_BYTES, tiff.length) - ENTRY_BYTES
  for (let at = directory + 2; at <= last; at += ENTRY_BYTES) if (short(at) === ORIENTATION) return short(at + 8)
  return undefined
}

/** Returns the orientation that the camera stored in a JPEG file, from 1 (upright) to 8. */
export const jpegOrientation = (bytes: Buffer): number => {
  for (const { at, end, marker } of jpegSegments(bytes)) {
    if (marker !== APP1 || bytes.toString("latin1", at, at + EXIF.length) !== EXIF) continue
    const orientation = orientationIn(bytes.subarray(at + EXIF.length, end)) ?? 1
    return orientation >= 1 && orientation <= 8 ? orientation : 1
  }
  return 1
}

/** For each orientation: whether rows and columns are swapped, and whether the columns or the rows run backwards. */
const TURNS: Readonly<Record<number, { readonly swap: boolean; readonly backX: boolean; readonly backY: boolean }>> = {
  1: { swap: false, backX: false, backY: false },
  2: { swap: false, backX: true, backY: false },
  3: { swap: false, backX: true, backY: true },
  4: { swap: false, backX: false, backY: true },
  5: { swap: true, backX: false, backY: false },
  6: { swap: true, backX: false, backY: true },
  7: { swap: true, backX: true, backY: true },
  8: { swap: true, backX: true, backY: false }
}

/** Returns the picture turned to its upright orientation. */
export const upright = (picture: Grey, orientation: number): Grey => {
  const { backX, backY, swap } = TURNS[orientation]!
  if (!swap && !backX && !backY) return picture
  const { data, height, width } = picture
  const turned = { width: swap ? height : width, height: swap ? width : height, data: new Uint8Array(data.length) }
  let place = 0
  for (let y = 0; y < turned.height; y++) {
    for (let x = 0; x < turned.width; x++) {
      const [column, row] = swap ? [y, x] : [x, y]
      turned.data[place++] = data[(backY ? height - 1 - row : row) * width + (backX ? width - 1 - column : column)]!
    }
  }
  return turned
}
