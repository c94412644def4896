/** The administration, on a server whose identity provider names roles. */
import "./suites/admin.ts"
