/** The address of a project's page. */
export const projectPath = (projectId: string): string => `/projects/${projectId}`

/** The address of a new chat in a project. */
export const newChatPath = (projectId: string): string => `/?project=${projectId}`
