import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { packFolder } from "./folderImage.ts"
import { IMAGE_FOLDER, IMAGE_SCHEMA, shippedImageFile } from "./shippedImage.ts"

/**
 * Drops the databases that serve as templates. An embedded engine creates no further databases, and the templates are
 * half of all files.
 */
const DROP_TEMPLATES = `
  UPDATE pg_database SET datistemplate = false;
  DROP DATABASE template0;
  DROP DATABASE template1`

const makeImage = async (folder: string): Promise<Uint8Array> => {
  const dataDir = join(folder, "database")
  // These modules are loaded only if an image has to be made, which is rare.
  const { migrateDatabase } = await import("../openDatabase.ts")
  const { openEngine } = await import("../database/embedded/openEngine.ts")
  await migrateDatabase({ dataDir, schema: IMAGE_SCHEMA })
  const thread = openEngine({ dataDir })
  try {
    for (const text of DROP_TEMPLATES.split(";")) await thread.ask({ kind: "script", text })
  } finally {
    await thread.close()
  }
  return packFolder(dataDir)
}

/**
 * Makes the image with which new folders begin, and removes all other images, unless a suitable image exists. Making an
 * image takes about ten seconds. Returns the file of the image, and whether this call has made it.
 */
export const makeShippedImage = async (): Promise<{ readonly file: string; readonly made: boolean }> => {
  const file = await shippedImageFile()
  if (existsSync(file)) return { file, made: false }
  const folder = mkdtempSync(join(tmpdir(), "parley-image-"))
  try {
    const image = await makeImage(folder)
    mkdirSync(IMAGE_FOLDER, { recursive: true })
    const own = `${file}.${process.pid}`
    writeFileSync(own, image)
    renameSync(own, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  for (const name of readdirSync(IMAGE_FOLDER)) {
    if (name.endsWith(".zst") && name !== basename(file)) rmSync(join(IMAGE_FOLDER, name), { force: true })
  }
  return { file, made: true }
}
