import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { CHATS_KEY } from "./chats.ts"
import { parley } from "./parley.ts"

/** The person's projects, the newest first. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: async ({ signal }) => (await parley.call("listProjects", {}, { signal })).projects
})

const PAGE_CHATS = 30

/** The chats in a project, last used first. */
export const projectChatsQuery = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: [...CHATS_KEY, "project", projectId],
    queryFn: ({ pageParam: offset, signal }) => parley.chat.list({ limit: PAGE_CHATS, offset, projectId }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ chats, offset, total }) =>
      offset + chats.length < total && chats.length > 0 ? offset + chats.length : undefined
  })
