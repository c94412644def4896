/** Identity providers whose libraries store the session in a cookie of their own. */
export const SESSION_PRESETS = ["supabase"] as const

/** The library that sets the session cookie: its name counts over https without `__Host-`, too. */
export type SessionPreset = (typeof SESSION_PRESETS)[number]
