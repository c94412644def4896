import type { CrmEndpoints } from "../OAuthCrmOptions.ts"
import { hubspot } from "./hubspot.ts"
import { pipedrive } from "./pipedrive.ts"

/** The providers with built-in endpoints. */
export const CRM_PRESETS = ["hubspot", "pipedrive"] as const
export type CrmPresetName = (typeof CRM_PRESETS)[number]

export const crmPresets: Readonly<Record<CrmPresetName, CrmEndpoints>> = { hubspot, pipedrive }
