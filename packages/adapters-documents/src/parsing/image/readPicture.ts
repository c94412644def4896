import type { ParserLimits } from "../../ParserLimits.ts"
import type { ScanPage } from "../pdf/parsePdf.ts"
import { Unreadable } from "../Unreadable.ts"
import { encodePng } from "./encodePng.ts"
import { type DecodedPicture, type Grey, greyPicture } from "./greyPicture.ts"
import { jpegOrientation, upright } from "./orientation.ts"
import { type PictureFormat, pictureFormat, pictureSize, type PictureSize } from "./pictureSize.ts"

const DAMAGED = "The picture is damaged or incomplete and cannot be read. Save it again and upload the new file."
const NO_HEIC =
  "Pictures of the format HEIC cannot be read on this server: its operator has to install libheif-js. Save it as JPEG and upload that."

const tooLarge = ({ height, width }: PictureSize, most: number): string =>
  `The picture has ${width.toLocaleString("en-US")} by ${height.toLocaleString("en-US")} pixels; up to ${most.toLocaleString("en-US")} can be read. Make it smaller, or cut it into parts.`

type Decoder = (bytes: Uint8Array) => DecodedPicture

/** The part of libheif-js that this module uses. */
interface HeifPicture {
  get_width(): number
  get_height(): number
  display(target: DecodedPicture, done: (picture: DecodedPicture | null) => void): void
}
interface Heif {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): ReadonlyArray<HeifPicture> }
}

interface Decoders {
  readonly named: Readonly<Record<Exclude<PictureFormat, "heic">, Decoder>>
  readonly heif: Heif | undefined
}

const load = async (): Promise<Decoders> => {
  const [png, jpeg, webp] = await Promise.all([
    import("@cwasm/lodepng"),
    import("@cwasm/jpeg-turbo"),
    import("@cwasm/webp")
  ])
  // This package does not depend on libheif-js, because its licence (LGPL) has conditions for everyone who
  // redistributes it.
  // @ts-expect-error: its types do not name this module.
  const heif: Heif | undefined = await import("libheif-js/wasm-bundle.js").then(
    (loaded: { readonly default: Heif }) => loaded.default,
    () => undefined
  )
  return { named: { png: png.decode, jpeg: jpeg.decode, webp: webp.decode }, heif }
}

let loading: Promise<Decoders> | undefined
const decoders = (): Promise<Decoders> => (loading ??= load())

/** Loads all decoders that reading a picture needs. */
export const loadDecoders = async (): Promise<void> => {
  await decoders()
}

/** The longest side that text recognition accepts, in pixels. */
const LONGEST_SIDE = 32_767

const checked = (size: PictureSize | undefined, { maxPixels }: ParserLimits): PictureSize => {
  if (size === undefined || size.width === 0 || size.height === 0) throw new Unreadable("damaged", DAMAGED)
  if (size.width * size.height > maxPixels || Math.max(size.width, size.height) > LONGEST_SIDE)
    throw new Unreadable("too_long", tooLarge(size, maxPixels))
  return size
}

/** Decodes a HEIC picture; `heif` is undefined if its decoder is not installed. */
export const decodeHeic = async (
  bytes: Uint8Array,
  limits: ParserLimits,
  heif: Heif | undefined
): Promise<DecodedPicture> => {
  if (heif === undefined) throw new Unreadable("unreadable", NO_HEIC)
  const [picture] = new heif.HeifDecoder().decode(bytes)
  if (picture === undefined) throw new Unreadable("damaged", DAMAGED)
  const size = checked({ width: picture.get_width(), height: picture.get_height() }, limits)
  const target = { ...size, data: new Uint8ClampedArray(size.width * size.height * 4) }
  const shown = await new Promise<DecodedPicture | null>((resolve) => picture.display(target, resolve))
  if (shown === null) throw new Unreadable("damaged", DAMAGED)
  return shown
}

/** Returns a picture for text recognition: a grey PNG file, upright. */
export const readPicture = async (content: Uint8Array, limits: ParserLimits): Promise<ScanPage> => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const picture = await decode(bytes, limits)
  return { pictures: [encodePng({ ...picture, bits: 8, channels: 1 })], pages: 1 }
}

const decode = async (bytes: Buffer, limits: ParserLimits): Promise<Grey> => {
  const format = pictureFormat(bytes)
  if (format === undefined) throw new Unreadable("damaged", DAMAGED)
  const { heif, named } = await decoders()
  // The decoder of HEIC returns the picture upright, so it is not turned here.
  if (format === "heic") return greyPicture(await decodeHeic(bytes, limits, heif))
  checked(pictureSize(format, bytes), limits)
  try {
    return upright(greyPicture(named[format](bytes)), format === "jpeg" ? jpegOrientation(bytes) : 1)
  } catch (cause) {
    throw new Unreadable("damaged", DAMAGED, { cause })
  }
}
