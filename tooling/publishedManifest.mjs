/**
 * Prepares a package for packing, and restores it afterwards. Runs in the package's folder.
 *
 * - It copies the licence into the package, and moves `engines` out of `publishConfig` in the manifest. `engines` is
 *   meant for users of the packages; in the repository, where npm may run on an older Node than the packages, npm would
 *   warn about it at every install.
 * - It makes the packages share the Effect of `@parley/core` (`sharedEffect.mjs`).
 *
 * `publish` (before packing) writes the manifest to publish and keeps the original beside it. `restore` (after packing,
 * or after publishing, because npm reads the manifest again in between) restores the original.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { ownEffect, sharedEffect } from "./sharedEffect.mjs"

const MANIFEST = "package.json"
const KEPT = ".package.json.kept"
const LICENSE = "LICENSE"

const replace = (text) => {
  writeFileSync(`${MANIFEST}.new`, text)
  renameSync(`${MANIFEST}.new`, MANIFEST)
}

const publish = () => {
  const text = readFileSync(existsSync(KEPT) ? KEPT : MANIFEST, "utf8")
  const { publishConfig, scripts: _, ...manifest } = JSON.parse(text)
  const { engines, ...config } = publishConfig
  writeFileSync(KEPT, text)
  copyFileSync(new URL(`../${LICENSE}`, import.meta.url), LICENSE)
  const published = { ...sharedEffect(manifest), publishConfig: config, engines }
  replace(`${JSON.stringify(published, undefined, 2)}\n`)
}

const restore = () => {
  const { npm_command: command, npm_lifecycle_event: event } = process.env
  const isReadAgain = command === "publish" && event === "postpack"
  if (!existsSync(KEPT) || isReadAgain) return
  rmSync(LICENSE, { force: true })
  renameSync(KEPT, MANIFEST)
  ownEffect(JSON.parse(readFileSync(MANIFEST, "utf8")))
}

if (process.argv[2] === "publish") publish()
else restore()
