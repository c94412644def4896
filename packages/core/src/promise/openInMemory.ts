import { Effect } from "effect"
import { inMemoryStorageLayer, type StoragePorts, storagePortsFromContext } from "../StoragePorts.ts"

/** Every store in the memory of this process, for tests and trials: what is in them ends with the process. */
export const openInMemory = (): Promise<StoragePorts> =>
  Effect.runPromise(Effect.provide(storagePortsFromContext, inMemoryStorageLayer))
