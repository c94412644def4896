import { ProjectChange, ProjectService } from "@parley/core/effect"
import type { Project } from "@parley/core/adapter"
import { Effect } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { empty, json } from "../../exchange/Exchange.ts"
import { listOf, moment, named, text, uuid } from "../fields.ts"
import { uuidParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { iso } from "./shareRow.ts"

const ProjectBody = named("Project", "A folder of chats with instructions and documents for all replies in them.", {
  id: uuid("The project's id."),
  name: text("The name."),
  instructions: text("Instructions for the model, after yours in Settings; empty for none."),
  documentIds: listOf(
    uuid("A document."),
    "The documents that each reply may read, beside those of its request; some may be deleted by now."
  ),
  createdAt: moment("When the project was made.")
})

const ProjectListBody = named("ProjectList", "Your projects.", {
  projects: listOf(ProjectBody, "The projects, the newest first; at most 100.")
})

const ChangeBody = ProjectChange.annotate({
  identifier: "ProjectChange",
  description: "The values of a project; a field that is absent stays as it is."
})

const projectRow = ({ createdAt, documentIds, id, instructions, name }: Project): typeof ProjectBody.Type => ({
  ...{ id, name, instructions, documentIds },
  createdAt: iso(createdAt)
})

const projectPath = { id: uuidParameter("The project's id.") }

/** The caller's projects. */
export const listProjects = defineRoute({
  method: "GET",
  path: "/api/projects",
  summary: "Lists your projects, the newest first",
  access: sessionAccess,
  responses: { 200: { description: "The projects.", schema: ProjectListBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const projects = yield* ProjectService
    return json(200, { projects: (yield* projects.list(caller.userId)).map(projectRow) })
  })
})

/** Makes a project. */
export const postProject = defineRoute({
  method: "POST",
  path: "/api/projects",
  summary: "Makes a project: a folder of chats with instructions and documents for all replies in them",
  details:
    "Every reply in a chat of the project follows the instructions, and may read the documents; both count as input. `projectId` of POST /api/chat begins a chat in the project, PATCH /api/chats/{id} moves one into it.",
  access: sessionAccess,
  body: jsonBody(ChangeBody, "The values of the project. `name` is required."),
  responses: { 201: { description: "The project.", schema: ProjectBody } },
  errors: [
    "unauthorized",
    "invalid_project",
    "too_many_projects",
    "document_not_found",
    "document_forbidden",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const projects = yield* ProjectService
    return json(201, projectRow(yield* projects.create(caller.userId, body)))
  })
})

/** Changes a project. */
export const patchProject = defineRoute({
  method: "PATCH",
  path: "/api/projects/{id}",
  summary: "Changes the name, the instructions or the documents of a project",
  details: "Replies that begin later follow. A document of the project that was deleted meanwhile is left out.",
  access: sessionAccess,
  pathParameters: projectPath,
  body: jsonBody(ChangeBody, "The new values."),
  responses: { 200: { description: "The project as it is now.", schema: ProjectBody } },
  errors: [
    "unauthorized",
    "invalid_project",
    "project_not_found",
    "document_not_found",
    "document_forbidden",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller, path }) {
    const projects = yield* ProjectService
    return json(200, projectRow(yield* projects.change(caller.userId, path.id, body)))
  })
})

/** Deletes a project. */
export const deleteProject = defineRoute({
  method: "DELETE",
  path: "/api/projects/{id}",
  summary: "Deletes a project; its chats and documents stay",
  access: sessionAccess,
  pathParameters: projectPath,
  responses: { 204: { description: "It is deleted." } },
  errors: ["unauthorized", "project_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const projects = yield* ProjectService
    yield* projects.remove(caller.userId, path.id)
    return empty()
  })
})
