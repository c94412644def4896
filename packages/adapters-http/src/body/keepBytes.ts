import type { BodyMemory, BodyShare } from "./BodyMemory.ts"

/** Counts bytes of a person that are in memory already, whole; nothing can hold them back any more. */
export const keepBytes = (memory: BodyMemory, person: string, bytes: number): Pick<BodyShare, "release"> => {
  const share = memory.open(person, { onRoom: () => undefined, onRefused: () => undefined })
  share.add(bytes)
  share.complete()
  return share
}
