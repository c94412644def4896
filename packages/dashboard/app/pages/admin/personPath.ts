/** The page of a person. */
export const personPath = (userId: string): string => `/admin/people/${encodeURIComponent(userId)}`
