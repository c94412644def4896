import { handover as english } from "../../../messages/en/handover.ts"
import { partMessages } from "../../../messages/partMessages.ts"

export const useHandoverMessages = partMessages(
  english,
  async () => (await import("../../../messages/de/handover.ts")).handover
)
