// Written by `npm run docs:tables` from the table of routes: change that.

/** A folder of chats with instructions and documents for all replies in them. */
export interface Project {
  /** The project's id. */
  readonly id: string
  /** The name. */
  readonly name: string
  /** Instructions for the model, after yours in Settings; empty for none. */
  readonly instructions: string
  /** The documents that each reply may read, beside those of its request; some may be deleted by now. */
  readonly documentIds: ReadonlyArray<string>
  /** When the project was made. */
  readonly createdAt: string
}

/** The values of a project; a field that is absent stays as it is. */
export interface ProjectChange {
  /** The name: trimmed, 1 to 100 characters. */
  readonly name?: string
  /** Instructions for the model, after yours in Settings: at most 4,000 characters; empty for none. */
  readonly instructions?: string
  /** The documents that each reply in the project may read: at most 200, also some still being processed. */
  readonly documentIds?: ReadonlyArray<string>
}

/** Your projects. */
export interface ProjectList {
  /** The projects, the newest first; at most 100. */
  readonly projects: ReadonlyArray<Project>
}

/** The operations of this area, by their ids. */
export interface ProjectsOperations {
  /** Lists your projects, the newest first. Callers are signed-in people. */
  readonly listProjects: {
    readonly response: ProjectList
  }
  /** Makes a project: a folder of chats with instructions and documents for all replies in them. Every reply in a chat of the project follows the instructions, and may read the documents; both count as input. `projectId` of POST /api/chat begins a chat in the project, PATCH /api/chats/{id} moves one into it. Callers are signed-in people. */
  readonly createProject: {
    readonly body: ProjectChange
    readonly response: Project
  }
  /** Changes the name, the instructions or the documents of a project. Replies that begin later follow. A document of the project that was deleted meanwhile is left out. Callers are signed-in people. */
  readonly updateProject: {
    readonly path: {
      readonly id: string
    }
    readonly body: ProjectChange
    readonly response: Project
  }
  /** Deletes a project; its chats and documents stay. Callers are signed-in people. */
  readonly deleteProject: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
}
