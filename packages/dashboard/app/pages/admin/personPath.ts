/** The address of a person's page. */
export const personPath = (userId: string): string => `/admin/people/${encodeURIComponent(userId)}`
