import type { Archive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"

/** A reference from one entry of an Office document's archive to another. */
export interface Relationship {
  readonly id: string
  /** The last part of the relationship's type, such as `worksheet` or `notesSlide`. */
  readonly kind: string
  /** The name of the entry to which it refers. */
  readonly target: string
}

/** Returns the path of `target`, seen from a folder, with its `..` resolved. */
export const resolvedPath = (folder: string, target: string): string => {
  const path: Array<string> = []
  for (const step of (target.startsWith("/") ? target : `${folder}/${target}`).split("/")) {
    if (step === "..") path.pop()
    else if (step !== "" && step !== ".") path.push(step)
  }
  return path.join("/")
}

/** Returns the relationships of an archive entry (ECMA-376 part 2, 9.3), except those that lead out of the archive. */
export const relationshipsOf = (archive: Archive, part: string): ReadonlyArray<Relationship> => {
  const slash = part.lastIndexOf("/")
  const folder = part.slice(0, Math.max(0, slash))
  const found: Array<Relationship> = []
  readXml(archive.read(`${folder}/_rels/${part.slice(slash + 1)}.rels`), {
    open: (name, { Id: id = "", Target: target = "", TargetMode: mode = "", Type: type = "" }) => {
      if (name !== "Relationship" || mode === "External") return
      found.push({ id, kind: type.slice(type.lastIndexOf("/") + 1), target: resolvedPath(folder, target) })
    }
  })
  return found
}
