import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, gzipSync } from "node:zlib"

/** A file of the widget, in the form in which a server sends it. */
export interface WidgetFile {
  readonly contentType: string
  /** The hash of the content, quoted as in an `ETag`. */
  readonly etag: string
  readonly bytes: Uint8Array
  /** The compressed content by the name of the encoding, the best encoding first. */
  readonly encoded: ReadonlyArray<readonly [encoding: "br" | "gzip", bytes: Uint8Array]>
}

/** The files of the built widget. */
export interface WidgetFiles {
  /** The script that pages embed. */
  readonly loader: WidgetFile
  /** The page in the frame, the same for every bot. */
  readonly frame: WidgetFile
  /** The files that the page in the frame loads from `assets/`. The content under a name never changes. */
  readonly assets: ReadonlyMap<string, WidgetFile>
}

/**
 * The folder beside `src` or, in the published package, beside `dist`. The path is joined, because bundlers take `new
 * URL` with a literal for a file to include, and fail if it is a folder.
 */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "../dist-app")
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8"
}

const read = (name: string): WidgetFile => {
  const bytes = readFileSync(join(FOLDER, name))
  return {
    contentType: TYPES[extname(name)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
    bytes,
    encoded: [
      ["br", brotliCompressSync(bytes)],
      ["gzip", gzipSync(bytes, { level: 9 })]
    ]
  }
}

let files: WidgetFiles | undefined

/**
 * The widget's files, which are read once; undefined if they are not built. `npm ci` builds them in the repository, and
 * the published package contains them.
 */
export const widgetFiles = (): WidgetFiles | undefined => {
  try {
    return (files ??= {
      loader: read("widget.js"),
      frame: read("index.html"),
      assets: new Map(readdirSync(join(FOLDER, "assets")).map((name) => [name, read(`assets/${name}`)]))
    })
  } catch {
    return undefined
  }
}
