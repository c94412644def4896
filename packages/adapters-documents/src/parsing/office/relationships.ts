import type { Archive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"

/** A reference of a part of an Office document to another entry of its archive. */
export interface Relationship {
  readonly id: string
  /** The last part of its type: `worksheet`, `notesSlide`. */
  readonly kind: string
  /** Name of the entry. */
  readonly target: string
}

/** A path from a folder, with its `..` resolved. */
export const resolvedPath = (folder: string, target: string): string => {
  const path: Array<string> = []
  for (const step of (target.startsWith("/") ? target : `${folder}/${target}`).split("/")) {
    if (step === "..") path.pop()
    else if (step !== "" && step !== ".") path.push(step)
  }
  return path.join("/")
}

/** The relationships of a part (ECMA-376 part 2, 9.3), but for those that point out of the archive. */
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
