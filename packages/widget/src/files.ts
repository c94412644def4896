import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, gzipSync } from "node:zlib"

/** A file of the widget as it is served. */
export interface WidgetFile {
  readonly contentType: string
  /** Of its content; quoted, as in an `ETag`. */
  readonly etag: string
  readonly bytes: Uint8Array
  /** The same compressed, by the name of the encoding, best first. */
  readonly encoded: ReadonlyArray<readonly [encoding: "br" | "gzip", bytes: Uint8Array]>
}

/** The files of the build. */
export interface WidgetFiles {
  /** The script that pages embed. */
  readonly loader: WidgetFile
  /** The page in the frame, the same for every bot. */
  readonly frame: WidgetFile
  /** The files that the page loads from `assets/` beside it; the content under a name never changes. */
  readonly assets: ReadonlyMap<string, WidgetFile>
}

/**
 * The folder beside `src` or, in the published package, beside `dist`. A bundler treats `new URL` with a literal as a
 * file to include, and fails for a folder.
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
 * The widget's files, read once; undefined if they are not built: `npm ci` builds them in the repository, and the
 * published package contains them.
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
