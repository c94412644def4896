import { resolve } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { EmscriptenBuiltinFilesystem } from "@electric-sql/pglite/basefs"
import type { UnpackedFolder } from "../../image/folderImage.ts"

const { PGDATA } = PGlite.paths

/** The folder of a database that the engine keeps in memory. It begins with the contents of an image. */
export class MemoryFolder extends EmscriptenBuiltinFilesystem {
  readonly #image: UnpackedFolder

  constructor(image: UnpackedFolder) {
    super()
    this.#image = image
  }

  /** Called by the engine after it is loaded, before it looks for a database. */
  override async initialSyncFs(): Promise<void> {
    if (this.pg === undefined) throw new Error("The engine is not loaded.")
    const files = this.pg.Module.FS
    files.mkdirTree(PGDATA)
    for (const path of this.#image.folders) files.mkdir(`${PGDATA}/${path}`)
    for (const [path, bytes] of this.#image.files) files.writeFile(`${PGDATA}/${path}`, bytes)
  }
}

/** A database folder whose path is set only after the engine has begun to load; the engine waits for the path. */
export class DeferredFolder extends EmscriptenBuiltinFilesystem {
  readonly #path = Promise.withResolvers<string>()

  setPath(folder: string): void {
    this.#path.resolve(folder)
  }

  /** Called by the engine after it is loaded, before it looks for a database. */
  override async initialSyncFs(): Promise<void> {
    const root = resolve(await this.#path.promise)
    const files = this.#files
    files.mkdirTree(PGDATA)
    files.mount(files.filesystems.NODEFS, { root }, PGDATA)
  }

  override async closeFs(): Promise<void> {
    this.#files.quit()
  }

  get #files() {
    if (this.pg === undefined) throw new Error("The engine is not loaded.")
    return this.pg.Module.FS
  }
}
