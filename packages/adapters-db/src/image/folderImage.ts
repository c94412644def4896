import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"

/**
 * The head of an image. An image is a folder as one compressed sequence of bytes: the length of the head (32 bits,
 * little-endian), the head (JSON), and the contents of the files one after another. The compression adds a checksum of
 * the whole.
 */
interface Head {
  /** The paths of the subfolders, relative to the folder, with `/` between names; a folder precedes its content. */
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<readonly [path: string, size: number]>
}

const HEAD_LENGTH_BYTES = 4

/** Compresses with a large window, because files of one database have much in common across megabytes. */
const PACKING = {
  [constants.ZSTD_c_compressionLevel]: 19,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  [constants.ZSTD_c_checksumFlag]: 1
}

/** Returns the image of `folder` with all its content. */
export const packFolder = (folder: string): Buffer => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const below = entries
    .map((entry) => ({
      entry,
      path: join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/")
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const contents = below
    .filter(({ entry }) => entry.isFile())
    .map(({ path }) => [path, readFileSync(join(folder, path))] as const)
  const head: Head = {
    folders: below.filter(({ entry }) => entry.isDirectory()).map(({ path }) => path),
    files: contents.map(([path, bytes]) => [path, bytes.length])
  }
  const headBytes = Buffer.from(JSON.stringify(head))
  const headLength = Buffer.alloc(HEAD_LENGTH_BYTES)
  headLength.writeUInt32LE(headBytes.length)
  const whole = Buffer.concat([headLength, headBytes, ...contents.map(([, bytes]) => bytes)])
  return zstdCompressSync(whole, { params: PACKING })
}

/** The content of an image; its paths are those of the head. */
export interface UnpackedFolder {
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<readonly [path: string, bytes: Uint8Array]>
}

/** Reads an image; returns its content. Throws if the image is damaged. */
export const unpackImage = (image: Uint8Array): UnpackedFolder => {
  const whole = zstdDecompressSync(image)
  let start = HEAD_LENGTH_BYTES + whole.readUInt32LE()
  const { folders, files } = JSON.parse(whole.toString("utf8", HEAD_LENGTH_BYTES, start)) as Head
  const contents = files.map(([path, size]) => [path, whole.subarray(start, (start += size))] as const)
  return { folders, files: contents }
}

/**
 * Makes `folder`, which is absent or empty, and writes the content of `image` into it. Throws if the image is damaged.
 */
export const unpackFolder = (image: Uint8Array, folder: string): void => {
  const { files, folders } = unpackImage(image)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const path of folders) mkdirSync(join(folder, path), { mode: 0o700 })
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes, { flag: "wx", mode: 0o600 })
}
