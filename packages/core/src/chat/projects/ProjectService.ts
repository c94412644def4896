import { Context, Effect, Layer, Schema } from "effect"
import { findReadableDocuments, uniqueIds } from "../../documents/searching/findReadableDocuments.ts"
import type { DocumentForbidden, DocumentNotFound } from "../../documents/errors.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { UserId } from "../../identity/UserId.ts"
import { IdGenerator, isUuid, storableLine, storableText } from "../../storage/storedForms.ts"
import { Id, inputsOf } from "../../storage/inputs.ts"
import { countOf } from "../../storage/spokenNumbers.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { MAX_INSTRUCTIONS } from "../../preferences/Preferences.ts"
import { ChatNotFound } from "../errors.ts"
import type { Chat } from "../store/StoredChat.ts"
import {
  InvalidProject,
  MAX_PROJECT_DOCUMENTS,
  MAX_PROJECT_NAME,
  MAX_PROJECTS,
  type Project,
  ProjectChange,
  ProjectNotFound,
  TooManyProjects
} from "./Project.ts"
import { ProjectStore } from "./ProjectStore.ts"

type ChangeFailed = InvalidProject | DocumentNotFound | DocumentForbidden | StorageFailed

const NAME_EXPECTED = `1 to ${countOf(MAX_PROJECT_NAME, "character")}`

const characters = (text: string): number => Array.from(text).length

/** Returns the texts in their stored form: both trimmed, the name in one line. */
const cleanTexts = ({ instructions, name }: ProjectChange): ProjectChange => ({
  ...(name === undefined ? {} : { name: storableLine(name) }),
  ...(instructions === undefined ? {} : { instructions: storableText(instructions).trim() })
})

const problemOf = ({ documentIds = [], instructions = "", name }: ProjectChange): InvalidProject | undefined => {
  if (name !== undefined && (name === "" || characters(name) > MAX_PROJECT_NAME)) {
    return new InvalidProject({ field: "name", expected: NAME_EXPECTED })
  }
  if (characters(instructions) > MAX_INSTRUCTIONS) {
    const expected = `at most ${countOf(MAX_INSTRUCTIONS, "character")}`
    return new InvalidProject({ field: "instructions", expected })
  }
  if (documentIds.length > MAX_PROJECT_DOCUMENTS || !documentIds.every(isUuid)) {
    const expected = `at most ${countOf(MAX_PROJECT_DOCUMENTS, "UUID")}`
    return new InvalidProject({ field: "documentIds", expected })
  }
  return undefined
}

/** The projects of people: folders of their own chats, with instructions and documents for all replies in them. */
export class ProjectService extends Context.Service<
  ProjectService,
  {
    /** A person's projects, the newest first; at most 100. */
    list(userId: UserId): Effect.Effect<ReadonlyArray<Project>, StorageFailed>
    /** Stores a new project; `project` must contain a name. */
    create(userId: UserId, project: ProjectChange): Effect.Effect<Project, ChangeFailed | TooManyProjects>
    /** Changes the given fields of a project. Replies that begin later use the new values. */
    change(
      userId: UserId,
      projectId: string,
      change: ProjectChange
    ): Effect.Effect<Project, ChangeFailed | ProjectNotFound>
    /** Deletes a project. Its documents stay; its chats stay, in no project. */
    remove(userId: UserId, projectId: string): Effect.Effect<void, ProjectNotFound | StorageFailed>
    /** Puts one of the person's own chats into a project; removes the chat from its project if `projectId` is null. */
    place(
      userId: UserId,
      chatId: string,
      projectId: string | null
    ): Effect.Effect<Chat, ChatNotFound | ProjectNotFound | StorageFailed>
  }
>()("@parley/core/chat/projects/ProjectService") {
  static readonly inputs = inputsOf<ProjectService["Service"]>()({
    list: [{ userId: UserId }],
    create: [{ userId: UserId }, { project: ProjectChange }],
    change: [{ userId: UserId }, { projectId: Id }, { change: ProjectChange }],
    remove: [{ userId: UserId }, { projectId: Id }],
    place: [{ userId: UserId }, { chatId: Id }, { projectId: Schema.NullOr(Id) }]
  })
  static readonly layer = Layer.effect(
    ProjectService,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const ids = yield* IdGenerator
      const store = yield* ProjectStore

      /**
       * Checks a change and returns it in its stored form. Every document must belong to the person; a document in
       * `known` that was deleted meanwhile is left out.
       */
      const checked = Effect.fnUntraced(function* (
        userId: UserId,
        change: ProjectChange,
        known: ReadonlyArray<string>
      ) {
        const clean = { ...change, ...cleanTexts(change) }
        const problem = problemOf(clean)
        if (problem !== undefined) return yield* problem
        if (clean.documentIds === undefined) return clean
        const { pending, ready } = yield* findReadableDocuments(documents, userId, clean.documentIds, known)
        const found = new Set([...pending, ...ready.map(({ id }) => id)])
        return { ...clean, documentIds: uniqueIds(clean.documentIds).filter((id) => found.has(id)) }
      })

      return ProjectService.of({
        list: (userId) => store.list(userId),
        create: Effect.fn("ProjectService.create")(function* (userId, given) {
          const { documentIds = [], instructions = "", name } = yield* checked(userId, given, [])
          if (name === undefined) return yield* new InvalidProject({ field: "name", expected: NAME_EXPECTED })
          const project = { id: yield* ids.next, name, instructions, documentIds }
          const created = yield* store.create(userId, project, MAX_PROJECTS)
          if (created === undefined) return yield* new TooManyProjects({ limit: MAX_PROJECTS })
          return created
        }),
        change: Effect.fn("ProjectService.change")(function* (userId, projectId, given) {
          const before = yield* store.get(userId, projectId)
          const change = yield* checked(userId, given, before?.documentIds ?? [])
          const changed = yield* store.change(userId, projectId, change)
          if (changed === undefined) return yield* new ProjectNotFound({ projectId })
          return changed
        }),
        remove: Effect.fn("ProjectService.remove")(function* (userId, projectId) {
          if (!(yield* store.remove(userId, projectId))) return yield* new ProjectNotFound({ projectId })
        }),
        place: Effect.fn("ProjectService.place")(function* (userId, chatId, projectId) {
          if (projectId !== null && (yield* store.get(userId, projectId)) === undefined) {
            return yield* new ProjectNotFound({ projectId })
          }
          const chat = yield* store.place(userId, chatId, projectId)
          if (chat === undefined) return yield* new ChatNotFound({ chatId })
          return chat
        })
      })
    })
  )
}
