import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { beginFolder } from "../../image/beginFolder.ts"
import { unpackFolder, unpackImage } from "../../image/folderImage.ts"
import { IMAGE_SCHEMA, shippedImageFile } from "../../image/shippedImage.ts"
import { DeferredFolder, MemoryFolder } from "./engineFolders.ts"
import type { PgliteThreadOptions } from "./PgliteThread.ts"
import { EMBEDDED_SESSION } from "../sessionSettings.ts"

/**
 * Reduces the engine's own page cache, which exists besides the system's: each megabyte of the default 128 costs time
 * at the start, and memory as long as the engine runs.
 */
const START_PARAMS = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"]

/** The engine's code, compiled once; undefined if PGlite has to find the code itself. */
const compiling = readFile(new URL("./pglite.wasm", import.meta.resolve("@electric-sql/pglite"))).then(
  (bytes) => WebAssembly.compile(bytes),
  () => undefined
)

const create = async (more: PGliteOptions): Promise<PGlite> => {
  const engine = await compiling
  return await PGlite.create({
    extensions: { vector },
    startParams: START_PARAMS,
    ...(engine === undefined ? {} : { pgliteWasmModule: engine }),
    ...more
  })
}

/** Fills a new folder with the shipped image; returns false if there is no suitable image, or if it cannot be used. */
const beginAsImage = (dataDir: string): Promise<boolean> =>
  shippedImageFile()
    .then((file) => beginFolder(dataDir, (folder) => unpackFolder(readFileSync(file), folder)))
    .catch(() => false)

/**
 * Sets the time at which the image's migrations were applied to now, because they were applied when the image was
 * built.
 */
const appliedNow = async (database: PGlite): Promise<PGlite> => {
  await database.exec(`UPDATE ${IMAGE_SCHEMA}.migrations SET applied_at = now()`)
  return database
}

/** Opens a database in memory, which begins as the shipped image if there is a suitable one. */
const openMemory = async (fromImage: boolean): Promise<PGlite> => {
  const image = fromImage
    ? await shippedImageFile()
        .then((file) => unpackImage(readFileSync(file)))
        .catch(() => undefined)
    : undefined
  return image === undefined ? create({}) : appliedNow(await create({ fs: new MemoryFolder(image) }))
}

const beginEmpty = (dataDir: string): Promise<boolean> =>
  beginFolder(dataDir, async (folder) => (await create({ dataDir: folder })).close())

/** An engine that is loaded as far as possible before its database is known. */
export interface LoadedEngine {
  readonly files: DeferredFolder
  readonly created: Promise<PGlite>
}

/** Loads an engine for a database in a folder that is chosen later. */
export const loadEngine = (): LoadedEngine => {
  const files = new DeferredFolder()
  const created = create({ fs: files })
  // The caller that opens the database sees the failure.
  created.catch(() => undefined)
  return { files, created }
}

const openFolder = async (dataDir: string, fromImage: boolean, { created, files }: LoadedEngine): Promise<PGlite> => {
  const isImage = fromImage && (await beginAsImage(dataDir))
  if (!isImage) await beginEmpty(dataDir)
  files.setPath(dataDir)
  const database = await created
  return isImage ? appliedNow(database) : database
}

/** Opens a database. If the database is in a folder and `loaded` is given, uses that engine. */
export const openPglite = async (
  { dataDir, fromImage = false, prepared }: PgliteThreadOptions,
  loaded: LoadedEngine | undefined
): Promise<PGlite> => {
  const database = await (dataDir === undefined
    ? prepared === undefined
      ? openMemory(fromImage)
      : create({ loadDataDir: new Blob([prepared]) })
    : openFolder(dataDir, fromImage, loaded ?? loadEngine()))
  await database.exec(EMBEDDED_SESSION)
  return database
}
