import { PGlite } from "@electric-sql/pglite"
import { EmscriptenBuiltinFilesystem } from "@electric-sql/pglite/basefs"
import type { UnpackedFolder } from "../image/folderImage.ts"

const { PGDATA } = PGlite.paths

/** The folder of a database in the engine's own memory, which begins with what an image holds. */
export class MemoryFolder extends EmscriptenBuiltinFilesystem {
  readonly #image: UnpackedFolder

  constructor(image: UnpackedFolder) {
    super()
    this.#image = image
  }

  /** Asked by the engine when it is loaded, before it looks for a database. */
  override async initialSyncFs(): Promise<void> {
    if (this.pg === undefined) throw new Error("The engine is not loaded.")
    const files = this.pg.Module.FS
    files.mkdirTree(PGDATA)
    for (const path of this.#image.folders) files.mkdir(`${PGDATA}/${path}`)
    for (const [path, bytes] of this.#image.files) files.writeFile(`${PGDATA}/${path}`, bytes)
  }
}
