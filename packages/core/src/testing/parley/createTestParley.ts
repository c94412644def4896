import { Effect, Schedule } from "effect"
import type { Document } from "../../documents/Document.ts"
import { DocumentService } from "../../documents/DocumentService.ts"
import { ChatModels } from "../../models/ChatModel.ts"
import { createParley, type ParleyOptions } from "../../promise/createParley.ts"
import { openInMemory } from "../../promise/openInMemory.ts"
import { type Parley, runtimeOf } from "../../promise/Parley.ts"
import { TestModel } from "./TestModel.ts"
import { TestTime } from "./TestTime.ts"

export type { TestAnswer } from "./TestModel.ts"
export { TestModel, TestTime }

/** Parley in memory for a test, which controls the model's answers and the time. */
export interface TestParley extends Parley {
  readonly model: TestModel
  readonly time: TestTime
  /** Uploads a text and waits until replies can use it. Rejects as `documents.upload` does. */
  addText(input: { readonly userId: string; readonly filename: string; readonly text: string }): Promise<Document>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface TestParleyOptions extends Partial<Omit<ParleyOptions, "clock">> {
  /** The time at the start; 2030-01-01T00:00:00Z unless given. */
  readonly now?: Date
}

const BEGINNING = new Date("2030-01-01T00:00:00Z")

/**
 * Creates Parley for tests of an application, independent of the test runner: a scripted model behind every model id, a
 * reader of plain texts, stores in memory, and a clock that stands still. Of the background work, only the reading of
 * documents runs, so that nothing happens unless the test causes it: periods begin with `credits.reset()`. Close it
 * with `close` or `await using`.
 */
export const createTestParley = async ({
  now = BEGINNING,
  ...options
}: TestParleyOptions = {}): Promise<TestParley> => {
  const model = new TestModel()
  const time = new TestTime(now)
  const parley = await createParley({
    ...(await openInMemory()),
    models: ChatModels.of({ resolve: () => Effect.succeed(model) }),
    work: ["jobs"],
    ...options,
    clock: time
  })
  return {
    ...parley,
    model,
    time,
    addText: async ({ filename, text, userId }) => {
      const { id } = await parley.documents.upload({ userId, filename, bytes: new TextEncoder().encode(text) })
      return runtimeOf(parley).runPromise(untilRead(userId, id))
    },
    [Symbol.asyncDispose]: parley.close
  }
}

const untilRead = (userId: string, id: string) =>
  DocumentService.use((documents) => documents.get(userId, id)).pipe(
    Effect.repeat({ until: ({ status }) => status !== "processing", schedule: Schedule.spaced("5 millis") })
  )
