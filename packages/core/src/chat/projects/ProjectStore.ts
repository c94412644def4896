import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Chat } from "../store/StoredChat.ts"
import type { Project, ProjectChange } from "./Project.ts"

/**
 * Stores projects, and which chats are in them. Every method is limited to one owner: another person's project is
 * treated as missing.
 */
export class ProjectStore extends Context.Service<
  ProjectStore,
  {
    /** Returns a person's projects, the newest first. */
    list(userId: UserId): Effect.Effect<ReadonlyArray<Project>, StorageFailed>
    /** Returns one project; undefined if the person has none with this id. */
    get(userId: UserId, projectId: string): Effect.Effect<Project | undefined, StorageFailed>
    /** Stores a new project. Returns undefined, and stores nothing, if the person already has `most` projects. */
    create(
      userId: UserId,
      project: Omit<Project, "createdAt">,
      most: number
    ): Effect.Effect<Project | undefined, StorageFailed>
    /** Changes the given fields and returns the changed project; undefined if the person has none with this id. */
    change(userId: UserId, projectId: string, change: ProjectChange): Effect.Effect<Project | undefined, StorageFailed>
    /** Deletes a project; its chats stay, in no project. Returns true if it existed. */
    remove(userId: UserId, projectId: string): Effect.Effect<boolean, StorageFailed>
    /**
     * Puts one of the person's own chats into a project, or into none if `projectId` is null or the project does not
     * exist. Returns the chat; undefined if the chat does not exist.
     */
    place(userId: UserId, chatId: string, projectId: string | null): Effect.Effect<Chat | undefined, StorageFailed>
  }
>()("@parley/core/chat/projects/ProjectStore") {}
