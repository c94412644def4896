import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { projectsQuery } from "../api/projects.ts"
import classes from "../chat/ConversationView.module.css"
import { projectPath } from "./projectPath.ts"
import { useProjectMessages } from "./useProjectMessages.ts"

/** Shows the project of a chat, and the number of documents that its replies read. */
export const InProject = ({ projectId }: { readonly projectId: string }) => {
  const { t } = useProjectMessages()
  const { data: projects } = useQuery(projectsQuery)
  const project = projects?.find(({ id }) => id === projectId)
  if (project === undefined) return <p className={classes.note}>&nbsp;</p>
  return (
    <p className={classes.note}>
      {t("projects.project")} <Link to={projectPath(projectId)}>{project.name}</Link>
      {` · ${t("projects.documents", { count: project.documentIds.length })}`}
    </p>
  )
}
