import { inboxFaults } from "./inboxFaults.ts"

inboxFaults(false)
