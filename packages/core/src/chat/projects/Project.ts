import { Schema } from "effect"

/** The maximum number of projects of a person. */
export const MAX_PROJECTS = 100
/** The maximum number of documents of a project. */
export const MAX_PROJECT_DOCUMENTS = 200
export const MAX_PROJECT_NAME = 100

/** A folder of a person's own chats, with instructions and documents for all replies in them. */
export interface Project {
  readonly id: string
  readonly name: string
  /** Placed after the person's own instructions; empty for none. */
  readonly instructions: string
  /** The documents that each reply in the project may read, in addition to those of its request. */
  readonly documentIds: ReadonlyArray<string>
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** New values of a project; a field that is absent stays as it is. */
export const ProjectChange = Schema.Struct({
  name: Schema.optionalKey(Schema.String).annotate({ description: "The name: trimmed, 1 to 100 characters." }),
  instructions: Schema.optionalKey(Schema.String).annotate({
    description: "Instructions for the model, after yours in Settings: at most 4,000 characters; empty for none."
  }),
  documentIds: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "The documents that each reply in the project may read: at most 200, also some still being processed."
  })
})
export type ProjectChange = typeof ProjectChange.Type

/** The project is invalid; nothing was changed. */
export class InvalidProject extends Schema.TaggedError<InvalidProject>()("InvalidProject", {
  field: Schema.Literals(["name", "instructions", "documentIds"]),
  expected: Schema.String
}) {
  readonly code = "invalid_project"
  override get message() {
    return `The project cannot be stored: ${this.field}: expected ${this.expected}.`
  }
}

/** The person has no project with this id. */
export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  projectId: Schema.String
}) {
  readonly code = "project_not_found"
  override get message() {
    return "There is no such project; it may have been deleted."
  }
}

/** The person already has the maximum number of projects. */
export class TooManyProjects extends Schema.TaggedError<TooManyProjects>()("TooManyProjects", {
  limit: Schema.Int
}) {
  readonly code = "too_many_projects"
  override get message() {
    return `You have ${this.limit} projects, and no more are possible. Delete one that you no longer need.`
  }
}
