import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** What a build says of itself, in the folder of `BUNDLES`. */
export const BUILT = "built.json"

/** Where builds of the bundled program are, in this package. */
export const BUNDLES = "dist-program"

/** One name for what these files are, `read` giving the content of each; throws where it does. */
export const hashOfFiles = (files, read) => {
  const hash = createHash("sha256")
  for (const path of files) hash.update(path).update("\0").update(read(path)).update("\0")
  return hash.digest("hex")
}

/**
 * The entry (a URL) of the bundled program in `folder` (a URL), where it was made of the files that are there now, and is
 * there whole: each file that was made, by its size.
 */
export const freshBundle = (folder) => {
  const bundles = new URL(`${BUNDLES}/`, folder)
  try {
    const { entry, files, hash, made } = JSON.parse(readFileSync(new URL(BUILT, bundles), "utf8"))
    if (made.some(({ path, bytes }) => statSync(new URL(path, bundles)).size !== bytes)) return undefined
    const now = hashOfFiles(files, (path) => readFileSync(new URL(path, folder)))
    return now === hash ? new URL(entry, bundles) : undefined
  } catch {
    // One that is absent, or was made of a file that is gone, or has lost one of its own.
    return undefined
  }
}

/**
 * Which program the command runs, `folder` (a URL) being the one of this package. In a checkout that is the bundle of
 * `tooling/bundleProgram.mjs` where it is of today's sources, to the letter; else the sources themselves. A published
 * package has compiled files alone.
 *
 * Gives the path of its entry, and whether it belongs to a checkout.
 */
export const programOf = (folder) => {
  const source = new URL("src/main.ts", folder)
  if (!existsSync(source)) return { entry: fileURLToPath(new URL("dist/main.js", folder)), isCheckout: false }
  return { entry: fileURLToPath(freshBundle(folder) ?? source), isCheckout: true }
}
