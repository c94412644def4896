import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the built application: beside `src`, or in the published package beside `dist`. */
export const APP_FOLDER = fileURLToPath(new URL("../dist-app/", import.meta.url))

/** The encodings of the files' compressed copies, the best first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"]
] as const

/** A file of the built application, in the form in which one browser gets it. */
export interface SentFile {
  readonly path: string
  readonly encoding: string | undefined
}

/**
 * The form of a file for a browser: compressed if the browser accepts the encoding and the build has such a copy.
 *
 * @param name the file's path relative to the application's folder
 * @param accepts returns true if the browser accepts an encoding
 */
export const formOf = (name: string, accepts: (encoding: string) => boolean): SentFile => {
  const path = join(APP_FOLDER, name)
  for (const [encoding, suffix] of ENCODINGS) {
    if (accepts(encoding) && existsSync(path + suffix)) return { path: path + suffix, encoding }
  }
  return { path, encoding: undefined }
}
