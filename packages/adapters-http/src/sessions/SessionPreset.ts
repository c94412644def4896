/** Identity providers whose libraries keep the session in a cookie of their own. */
export const SESSION_PRESETS = ["supabase"] as const

/** Whose library sets the session cookie: its name counts over https without `__Host-`, too. */
export type SessionPreset = (typeof SESSION_PRESETS)[number]
