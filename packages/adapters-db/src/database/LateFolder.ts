import { resolve } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { EmscriptenBuiltinFilesystem } from "@electric-sql/pglite/basefs"

const { PGDATA } = PGlite.paths

/** The folder of a database that the engine is loaded for before it is known which: the engine goes on once it is told. */
export class LateFolder extends EmscriptenBuiltinFilesystem {
  readonly #told = Promise.withResolvers<string>()

  tell(folder: string): void {
    this.#told.resolve(folder)
  }

  /** Asked by the engine when it is loaded, before it looks for a database. */
  override async initialSyncFs(): Promise<void> {
    const root = resolve(await this.#told.promise)
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
