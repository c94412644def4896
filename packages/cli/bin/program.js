import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The file that describes a build, in the folder `BUNDLES`. */
export const BUILT = "built.json"

/** The folder of the bundled program's builds, in this package. */
export const BUNDLES = "dist-program"

/** A hash of these files, whose contents `read` returns; throws if it does. */
export const hashOfFiles = (files, read) => {
  const hash = createHash("sha256")
  for (const path of files) hash.update(path).update("\0").update(read(path)).update("\0")
  return hash.digest("hex")
}

/**
 * The entry (a URL) of the bundled program in `folder` (a URL), if it was built from the current files and is
 * complete: each file of the build has its recorded size.
 */
export const freshBundle = (folder) => {
  const bundles = new URL(`${BUNDLES}/`, folder)
  try {
    const { entry, files, hash, made } = JSON.parse(readFileSync(new URL(BUILT, bundles), "utf8"))
    if (made.some(({ path, bytes }) => statSync(new URL(path, bundles)).size !== bytes)) return undefined
    const now = hashOfFiles(files, (path) => readFileSync(new URL(path, folder)))
    return now === hash ? new URL(entry, bundles) : undefined
  } catch {
    // The bundle is missing, or incomplete, or a file that it was built from was deleted.
    return undefined
  }
}

/**
 * The program that the command runs; `folder` (a URL) is that of this package. In a checkout it is the bundle of
 * `tooling/bundleProgram.mjs` if its sources are unchanged, otherwise the sources themselves. A published package has
 * only compiled files. Returns the path of the entry, and true if it belongs to a checkout.
 */
export const programOf = (folder) => {
  const source = new URL("src/main.ts", folder)
  if (!existsSync(source)) return { entry: fileURLToPath(new URL("dist/main.js", folder)), isCheckout: false }
  return { entry: fileURLToPath(freshBundle(folder) ?? source), isCheckout: true }
}
