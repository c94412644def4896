import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Beside `src` and, in the published package, beside `dist`. */
export const APP_FOLDER = fileURLToPath(new URL("../dist-app/", import.meta.url))

/** Encodings that files lie in beside themselves, best first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"]
] as const

/** A file of the built application, as it is sent to one browser. */
export interface SentFile {
  readonly path: string
  readonly encoding: string | undefined
}

/**
 * The form of a file that a browser takes: compressed where it accepts that and the build has made one.
 * @param name relative to the application's folder
 * @param accepts whether the browser takes an encoding
 */
export const formOf = (name: string, accepts: (encoding: string) => boolean): SentFile => {
  const path = join(APP_FOLDER, name)
  for (const [encoding, suffix] of ENCODINGS) {
    if (accepts(encoding) && existsSync(path + suffix)) return { path: path + suffix, encoding }
  }
  return { path, encoding: undefined }
}
